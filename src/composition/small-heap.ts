import { setFlagsFromString } from 'node:v8';

/**
 * V8 lets garbage gather until its heap is four times as large as what lives in it, where the machine has memory to
 * spare: a rebuild came to 340 MiB for 35 that live. Twice as large costs no CPU that could be measured. For processes that
 * project and serve nobody; in a container with a bound V8 does so by itself.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--heap-growing-percent=100');
}
