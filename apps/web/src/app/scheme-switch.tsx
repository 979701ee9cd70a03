import { ActionIcon, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { MoonIcon, SunIcon } from '../shared/icons.js';

/** Switches between light and dark. Until it is pressed, the system's preference counts. */
export function SchemeSwitch() {
  const shown = useComputedColorScheme('light');
  // The option prevents a <style> element of Mantine, which the content security policy refuses.
  const { setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  const other = shown === 'dark' ? 'light' : 'dark';
  return (
    <ActionIcon
      variant="default"
      size={36}
      aria-label={`Use ${other} colours`}
      title={`Use ${other} colours`}
      onClick={() => setColorScheme(other)}
    >
      {shown === 'dark' ? <SunIcon /> : <MoonIcon />}
    </ActionIcon>
  );
}
