/**
 * Work that is put off to the end of this turn of the event loop, all together. Answers are written so: a peer that
 * waits on the same machine is woken once by the first and finds the others there, where each by itself would wake it
 * again, and that is dearer than all the rest of an answer from a stored text.
 */

const waiting: (() => void)[] = [];

/** `work` must not throw. */
export function atEndOfTurn(work: () => void): void {
  if (waiting.push(work) === 1) setImmediate(doAll);
}

function doAll(): void {
  for (const work of waiting.splice(0)) work();
}
