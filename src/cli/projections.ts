/** `bourse projections`: how the views stand, and building them anew. */
import { Command, InvalidArgumentError } from 'commander';
import { projections } from '../app.ts';
import type { ViewStatus } from '../runners/projector-status.ts';
import { printJson, printTable } from './print.ts';
import { type CommandLine, withMarket } from './with-market.ts';

interface Options {
  readonly json?: true;
}

export function projectionsCommand(): Command {
  const status = new Command('status')
    .description('where each view stands, and what keeps it if it stands still')
    .option('--json', 'print JSON')
    .action((options: Options) => withMarket((line) => showStatus(options, line)));
  const rebuild = new Command('rebuild')
    .description('build one view, or all, anew from the log beside the live one, and swap it in')
    .argument('[view]', `one of ${viewNames().join(', ')}`, knownView)
    .option('--json', 'print JSON')
    .action((view: string | undefined, options: Options) =>
      withMarket((line) => rebuildViews(view === undefined ? viewNames() : [view], options, line)),
    );
  return new Command('projections')
    .description('the read models: their state and their rebuilding')
    .addCommand(status)
    .addCommand(rebuild);
}

async function showStatus({ json }: Options, { market }: CommandLine): Promise<void> {
  const { projector } = market.services;
  await projector.open();
  const { head, views } = await projector.status();
  if (json) return printJson({ head, views });
  printTable(
    ['view', 'version', 'documents', 'checkpoint', 'state'],
    views.map((one) => [
      one.view,
      String(one.version),
      String(one.documents),
      one.checkpoint ?? '-',
      inWords(one, head),
    ]),
  );
}

function inWords({ state, stuck, isServed, building }: ViewStatus, head: string | null): string {
  const untilThen = isServed ? '' : ' (not served until it is whole)';
  if (stuck !== null) return `stuck: ${stuck.error}${untilThen}`;
  if (isServed) return state;
  return `${state}: at ${building?.checkpoint ?? 'the beginning'} of ${head ?? 'an empty log'}${untilThen}`;
}

async function rebuildViews(
  views: readonly string[],
  { json }: Options,
  { market }: CommandLine,
): Promise<void> {
  const { projector } = market.services;
  await projector.open();
  market.project();
  for (const view of views) {
    if (!json) process.stderr.write(`rebuilding ${view}\n`);
    await projector.rebuild(view);
  }
  await projector.caughtUp();
  if (json) printJson({ rebuilt: views });
  else console.log(`${views.length} rebuilt.`);
}

function viewNames(): string[] {
  return projections.map(({ name }) => name);
}

function knownView(name: string): string {
  if (viewNames().includes(name)) return name;
  throw new InvalidArgumentError(`It must be one of ${viewNames().join(', ')}.`);
}
