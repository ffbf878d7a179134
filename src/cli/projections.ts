/** `bourse projections`: how the views stand, building them anew, and going on without an event. */
import { Command } from 'commander';
import { idSchema } from '../../events/ids.ts';
import { projections } from '../../projections/catalog.ts';
import type { ViewStatus } from '../projecting/projector-status.ts';
import { Refused } from './exit.ts';
import { type JsonOption, oneOf, parsedBy, reasonText } from './options.ts';
import { printable } from '../logging/printable.ts';
import { printJson, printLine, printTable } from './print.ts';
import { type CommandLine, onMarket, sayOnceSeen } from './with-market.ts';

const VIEWS = projections.map(({ name }) => name);

interface SkipOptions extends JsonOption {
  readonly reason: string;
}

export function projectionsCommand(): Command {
  const status = new Command('status')
    .description('where each view stands, and what keeps it if it stands still')
    .option('--json', 'print JSON')
    .action(onMarket(showStatus, { isTakenAsItIs: true }));
  const rebuild = new Command('rebuild')
    .description('build one view, or all, anew from the log beside the live one, and swap it in')
    .argument('[view]', `one of ${VIEWS.join(', ')}`, oneOf(VIEWS))
    .option('--json', 'print JSON')
    .action(onMarket(rebuildViews, { isTakenAsItIs: true }));
  const skip = new Command('skip')
    .description('let a view that stands still go on without the event it cannot take, for good')
    .argument('<view>', 'as `bourse projections status` shows it', oneOf(VIEWS))
    .argument('<eventId>', 'the event at which it stands still', parsedBy(idSchema('event')))
    .requiredOption('--reason <text>', 'why, for whoever asks later', parsedBy(reasonText))
    .option('--json', 'print JSON')
    .action(onMarket(skipEvent, { isTakenAsItIs: true }));
  return new Command('projections')
    .description('the read models: their state and their rebuilding')
    .addCommand(status)
    .addCommand(rebuild)
    .addCommand(skip);
}

async function showStatus({ market }: CommandLine, { json }: JsonOption): Promise<void> {
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
  if (stuck !== null) return `stuck at ${stuck.eventId}: ${stuck.error}${untilThen}`;
  if (isServed) return state;
  return `${state}: at ${building?.checkpoint ?? 'the beginning'} of ${head ?? 'an empty log'}${untilThen}`;
}

async function rebuildViews(
  { market }: CommandLine,
  wanted: string | undefined,
  { json }: JsonOption,
): Promise<void> {
  const views = wanted === undefined ? VIEWS : [wanted];
  const { projector } = market.services;
  await projector.open();
  market.project();
  for (const view of views) {
    if (!json) process.stderr.write(`${printable(`rebuilding ${view}`)}\n`);
    await projector.rebuild(view);
  }
  await projector.caughtUp();
  if (json) printJson({ rebuilt: views });
  else printLine(`${views.length} rebuilt.`);
}

async function skipEvent(
  { market, call }: CommandLine,
  view: string,
  eventId: string,
  { reason, json }: SkipOptions,
): Promise<void> {
  const { projector } = market.services;
  await projector.open();
  const { views } = await projector.status();
  const stuck = views.find((one) => one.view === view)?.stuck ?? null;
  if (stuck?.eventId !== eventId) {
    const where = stuck === null ? 'does not stand still' : `stands still at ${stuck.eventId}`;
    throw new Refused(`${view} ${where}: only the event at which a view stands still can be skipped`);
  }
  const decision = { by: call.actor, reason };
  await projector.skip(view, eventId, decision);
  await sayOnceSeen(market, () => {
    if (json) printJson({ view, eventId, ...decision });
    else printLine(`${view} goes on without ${eventId}.`);
  });
}
