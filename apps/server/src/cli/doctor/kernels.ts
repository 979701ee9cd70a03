import { loadNative, type NativeKernels } from '@kindred/native';
import { checkKernels as compareKernels } from '../selftest/kernels.js';
import { type Check, fault, ok, warning } from './finding.js';

/** Loads the kernels that workers would use, and compares them with the plain ones. */
export const checkKernels: Check = async ({ nativeKernels: use }) => {
  let native: NativeKernels | null;
  try {
    native = loadNative({ use });
  } catch (error) {
    return [
      fault(
        'kernels',
        (error as Error).message,
        'Correct SVC_NATIVE_KERNELS, or install Kindred again. SVC_NATIVE_KERNELS=off works everywhere, slower, with the same results.',
      ),
    ];
  }
  let compared: string;
  try {
    compared = await compareKernels(native);
  } catch (error) {
    return [
      fault(
        'kernels',
        (error as Error).message,
        native === null
          ? 'Results of this machine cannot be trusted: report it with the processor and the version of Node.'
          : 'Set SVC_NATIVE_KERNELS=off, start the workers again, and report it with the processor.',
      ),
    ];
  }
  if (native !== null) return [ok('kernels', compared)];
  if (use === 'off')
    return [ok('kernels', 'native kernels are switched off (SVC_NATIVE_KERNELS=off); the others agree')];
  return [
    warning(
      'kernels',
      `no native addon works on ${process.platform}-${process.arch}: search and alignment take several times longer, with the same results`,
      'In a checkout, "node packages/native/tools/build-native.mjs" builds it (a C++ compiler is needed). SVC_NATIVE_KERNELS=off silences this.',
    ),
  ];
};
