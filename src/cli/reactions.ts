/** `bourse reactions`: how far the reactions have come, and going on without an event that one cannot take. */
import { Command } from 'commander';
import { reactionDecider } from '../../commands/reaction/reaction.ts';
import { idSchema } from '../../events/ids.ts';
import { reactions } from '../reactions/reactions.ts';
import type { ReactionPlace } from '../background/reaction-places.ts';
import { Refused } from './exit.ts';
import { type JsonOption, oneOf, parsedBy, reasonText } from './options.ts';
import { printJson, printLine, printTable } from './print.ts';
import { type CommandLine, onMarket } from './with-market.ts';

interface SkipOptions extends JsonOption {
  readonly reason: string;
}

const HELP = `
Without the event its effect never comes about: no message is sent, no job is made, no spend is given back. Look first at
what keeps the reaction from it, in the log of the process (reaction failed). The decision is recorded as an event, and
a running service goes on within ten seconds. See "When a reaction is stuck" in docs/operations.md.`;

export function reactionsCommand(): Command {
  const status = new Command('status')
    .description('how far each reaction has come, and the event that it takes next')
    .option('--json', 'print JSON')
    .action(onMarket(showPlaces, { isTakenAsItIs: true }));
  const skip = new Command('skip')
    .description('let a reaction go on without the event it cannot take, for good')
    .argument('<reaction>', 'as `bourse reactions status` shows it', oneOf(Object.keys(reactions)))
    .argument('<eventId>', 'the event that it cannot take', parsedBy(idSchema('event')))
    .requiredOption('--reason <text>', 'why, for whoever asks later', parsedBy(reasonText))
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action(onMarket(skipEvent, { isTakenAsItIs: true }));
  return new Command('reactions')
    .description('what follows from events: how far it has come')
    .addCommand(status)
    .addCommand(skip);
}

async function showPlaces({ market }: CommandLine, { json }: JsonOption): Promise<void> {
  const places = await market.reactionPlaces();
  if (json) {
    printJson(places.map(({ name, checkpoint, next }) => ({ name, checkpoint, next: next?.id ?? null })));
    return;
  }
  printTable(
    ['reaction', 'checkpoint', 'next'],
    places.map((place) => [place.name, place.checkpoint ?? '-', nextInWords(place)]),
  );
}

function nextInWords({ next }: ReactionPlace): string {
  return next === null ? '-' : `${next.id}: ${next.type} of ${next.at}, ${next.streamId}@${next.revision}`;
}

async function skipEvent(
  { market, call }: CommandLine,
  reaction: string,
  eventId: string,
  { reason, json }: SkipOptions,
): Promise<void> {
  const place = (await market.reactionPlaces()).find(({ name }) => name === reaction);
  const next = place?.next ?? null;
  if (next?.id !== eventId) {
    const where = next === null ? 'has taken every event' : `takes ${next.id} next`;
    throw new Refused(`${reaction} ${where}: only the event that a reaction takes next can be skipped`);
  }
  const skip = { reaction, eventId, position: next.position, reason };
  await market.services.commands.run(reactionDecider, reaction, { type: 'SkipReactionEvent', skip }, call);
  if (json) printJson(skip);
  else printLine(`${reaction} goes on without ${eventId}.`);
}
