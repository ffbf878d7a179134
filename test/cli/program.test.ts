import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { expect } from 'chai';
import { type Command, CommanderError } from 'commander';
import { EXIT, Refused, WrongUsage } from '../../src/cli/exit.ts';
import { explainFailure } from '../../src/cli/explain-failure.ts';
import { bourseProgram } from '../../src/cli/program.ts';
import { NotReached } from '../../src/verifying/fetch-documents.ts';
import { listenAnywhere } from '../support/ports.ts';
import { rejectionOf } from '../support/rejection.ts';

/** They speak to others than a person or a script at this terminal. */
const WITHOUT_JSON = ['bourse serve', 'bourse listen', 'bourse mcp'];

function everyCommand(command: Command, above = ''): { readonly name: string; readonly command: Command }[] {
  const name = `${above}${command.name()}`;
  return [{ name, command }, ...command.commands.flatMap((below) => everyCommand(below, `${name} `))];
}

/** What is written while the arguments are parsed, and the error it ends with. */
async function parse(...words: string[]): Promise<{ readonly written: string; readonly error: unknown }> {
  const program = bourseProgram();
  let written = '';
  const take = (text: string): void => void (written += text);
  for (const { command } of everyCommand(program))
    command.configureOutput({ writeOut: take, writeErr: take });
  const error = await rejectionOf(program.parseAsync(words, { from: 'user' }));
  return { written, error };
}

describe('the command line', () => {
  for (const { name, command } of everyCommand(bourseProgram())) {
    it(`${name} says what it, its arguments and its options are for`, () => {
      expect(command.description()).to.match(/^\S.{8,}/);
      const parts = [...command.options, ...command.registeredArguments];
      expect(parts.filter(({ description }) => description === '')).to.deep.equal([]);
    });

    if (command.commands.length === 0 && !WITHOUT_JSON.includes(name)) {
      it(`${name} answers in JSON when asked to`, () => {
        expect(command.options.map(({ long }) => long)).to.include('--json');
      });
    }

    it(`${name} refuses an option that it does not know, in words that help`, async () => {
      const { written, error } = await parse(...name.split(' ').slice(1), '--nobody-knows-this');
      // Commander looks for what must be given first.
      const missing = command.options.find(({ mandatory }) => mandatory);
      const fault =
        missing === undefined
          ? "unknown option '--nobody-knows-this'"
          : `required option '${missing.flags}' not specified`;
      expect(written).to.equal(`bourse: ${fault}\n(add --help for what is possible)\n`);
      expect([error instanceof CommanderError, explainFailure(error)]).to.deep.equal([true, EXIT.usage]);
    });
  }

  it('tells the version of the package', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    const { written, error } = await parse('--version');
    expect([written, explainFailure(error)]).to.deep.equal([`${version}\n`, EXIT.ok]);
  });

  it('takes --version behind a command for that command’s own', async () => {
    const nowhere = ['--base', 'http://127.0.0.1:9'];
    const { error } = await parse('verify', 'bundle', 'kit', '.', '--version', '1.0', ...nowhere);
    expect(error).to.be.instanceOf(NotReached);
    expect(String(error)).to.contain('/v1/bundles/kit?version=1.0');
  });

  it('marks what must be given, and lists every exit code', async () => {
    expect((await parse('audit', 'export', '--help')).written).to.match(/--out <file>[^-]*\(required\)/);
    const { written } = await parse('--help');
    for (const code of Object.values(EXIT)) expect(written).to.match(new RegExp(`^ +${code}  \\w`, 'm'));
  });

  it('tells an instance that is away from one whose answer does not hold', async () => {
    const { error } = await parse('verify', 'agent', 'kit', '--base', 'http://127.0.0.1:9');
    expect(error).to.be.instanceOf(NotReached);
    expect((await parse('verify', 'agent', 'kit', '--base', 'elsewhere')).error).to.be.instanceOf(
      CommanderError,
    );
  });

  it('says in one line that an instance serves something else', async () => {
    const answers = [
      '{"data":{"methodology":{"version":"1.0"}}}',
      String.raw`{"data":{"methodology":{"version":"\ud83d"}}}`,
      '<h1>Hello</h1>',
    ];
    for (const answer of answers) {
      const elsewhere = createServer((_req, res) => void res.end(answer));
      const port = await listenAnywhere(elsewhere);
      const { error } = await parse('verify', 'agent', 'kit', '--base', `http://127.0.0.1:${port}`);
      elsewhere.close();
      expect(error, answer).to.be.instanceOf(Refused);
    }
  });

  it('takes the wrong use of a command that only shows as a whole for wrong usage', () => {
    expect(explainFailure(new WrongUsage('(a test of the exit code)'))).to.equal(EXIT.usage);
  });
});
