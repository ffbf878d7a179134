/** `bourse listen`: shows what an account is told as it happens, and passes it on to an address of this machine. */
import { Command } from 'commander';
import { z } from 'zod';
import { notificationTypeSchema } from '../../events/webhook-events.ts';
import { listenForStop } from '../timing/stop-signal.ts';
import { apiKeyGiven, type GivenKey } from './api-key.ts';
import { WrongUsage } from './exit.ts';
import { follow } from './follow-messages.ts';
import { baseText, listOf, parsedBy } from './options.ts';
import { printLine } from './print.ts';

const localAddress = z.url({
  protocol: /^https?$/,
  error: 'must be an address such as http://localhost:3000/hooks',
});

interface ListenOptions extends GivenKey {
  readonly base: string;
  readonly forward?: string;
  readonly types?: readonly z.output<typeof notificationTypeSchema>[];
}

export function listenCommand(): Command {
  return new Command('listen')
    .description('show the messages of an account as they happen, and pass them on, until Ctrl-C')
    .option('--base <url>', 'the instance', parsedBy(baseText), 'http://localhost:8080')
    .option('--forward <url>', 'post each message there, signed as a webhook is', parsedBy(localAddress))
    .option('--types <a,b>', 'what to be told of; everything if absent', listOf(notificationTypeSchema, 32))
    .option('--key-file <path>', 'a file with the API key, which needs the scope webhooks:manage')
    .addHelpText('after', '\nThe key is taken from the variable BOURSE_API_KEY, if there is no --key-file.')
    .action((options: ListenOptions) => listen(options));
}

async function listen({ base, forward, types, ...given }: ListenOptions): Promise<void> {
  const apiKey = await apiKeyGiven(given);
  if (apiKey === undefined)
    throw new WrongUsage(
      'set BOURSE_API_KEY, or name a file with --key-file: whose messages are to be shown?',
    );
  const stop = listenForStop();
  try {
    await follow({
      baseUrl: base.replace(/\/+$/, ''),
      apiKey,
      forwardTo: forward ?? null,
      types: types ?? null,
      print: printLine,
      signal: stop.signal,
    });
  } finally {
    stop.release();
  }
}
