/** `npm start`: serves the market of the data folder, filled with demonstration data when it is empty. */
import { openMarket } from './composition/app.ts';
import { readConfig } from './settings/config.ts';
import { endWith } from './cli/exit.ts';
import { explainFailure } from './cli/explain-failure.ts';
import { printLine } from './cli/print.ts';
import { makeFilesOwnerOnly } from './settings/owner-only.ts';
import { runUntilStopped } from './composition/serve.ts';

makeFilesOwnerOnly();
try {
  await runUntilStopped(readConfig(), openMarket, { seed: true, print: printLine });
} catch (error) {
  endWith(explainFailure(error));
}
