import { CopyButton } from './copy-button.js';
import { LinkIcon } from './icons.js';

/** Copies the address of this page. */
export function CopyLink() {
  return (
    <CopyButton text={() => location.href} refused="Copy it from the address bar" icon={<LinkIcon />}>
      Copy link
    </CopyButton>
  );
}
