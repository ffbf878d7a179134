#!/usr/bin/env node
/** The `bourse` command: everything that is done from a terminal, beside a serving process or without one. */
import { makeFilesOwnerOnly } from '../settings/owner-only.ts';
import { isRunByNpx } from '../settings/config.ts';
import { stopWithParent } from '../timing/stop-with-parent.ts';
import { endWith } from './exit.ts';
import { explainFailure } from './explain-failure.ts';
import { bourseProgram } from './program.ts';

makeFilesOwnerOnly();
if (isRunByNpx()) stopWithParent();
process.stdout.on('error', unlessClosed);
try {
  await bourseProgram().parseAsync();
} catch (error) {
  endWith(explainFailure(error));
}

/** Whoever has read enough (`| head`) closes the pipe: the work goes on, and nothing went wrong. */
function unlessClosed(error: Error): void {
  if (!('code' in error && error.code === 'EPIPE')) throw error;
}
