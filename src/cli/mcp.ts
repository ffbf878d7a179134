/** `bourse mcp`: the marketplace as MCP over stdio, for clients that start their servers themselves. */
import { Command, Option } from 'commander';
import { createLog } from '../logging/log.ts';
import { apiKeyGiven } from './api-key.ts';
import { baseText, parsedBy } from './options.ts';
import { printable } from '../logging/printable.ts';
import { withMarket } from './with-market.ts';

interface McpOptions {
  readonly base?: string;
  readonly key?: string;
  readonly keyFile?: string;
}

export function mcpCommand(): Command {
  return (
    new Command('mcp')
      .description('speak MCP over standard input and output, until the input ends')
      .option('--base <url>', 'front a remote instance, such as https://bourse.example', parsedBy(baseText))
      .option('--key-file <path>', 'a file with the API key for the tools that need one')
      // Not shown: of earlier releases, and refused with what to do instead.
      .addOption(new Option('--key <key>', 'not taken: use --key-file').hideHelp())
      .addHelpText(
        'after',
        '\nThe key is taken from the variable BOURSE_API_KEY, if there is no --key-file.' +
          '\nWithout --base it answers from the data folder (DATA_DIR), also beside a serving process.',
      )
      .action((options: McpOptions) => speak(options))
  );
}

async function speak({ base, ...given }: McpOptions): Promise<void> {
  const apiKey = await apiKeyGiven(given);
  // The SDK's schemas take a while to load: no other command waits for them.
  const { serveStdio } = await import('../mcp/stdio.ts');
  const streams = {
    input: process.stdin,
    output: process.stdout,
    complain: (line: string): void => void process.stderr.write(`${printable(`bourse mcp: ${line}`)}\n`),
  };
  if (base !== undefined) {
    const { remoteAnswerer } = await import('../mcp/remote-answerer.ts');
    return serveStdio(remoteAnswerer({ baseUrl: base, apiKey }), streams);
  }
  const [{ createMcp }, { localAnswerer }] = await Promise.all([
    import('../mcp/methods.ts'),
    import('../mcp/local-answerer.ts'),
  ]);
  await withMarket(async ({ market: { services, catchUp } }) => {
    await catchUp();
    const mcp = createMcp(services, createLog('silent'));
    await serveStdio(localAnswerer(mcp, apiKey), streams);
  });
}
