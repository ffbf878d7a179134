/** `bourse verify`: recompute what any running instance publishes. No data folder is opened. */
import { Command } from 'commander';
import { z } from 'zod';
import { slug } from '../../events/common.ts';
import { versionNumber } from '../../events/texts.ts';
import { readConfig } from '../settings/config.ts';
import { fetchBundle, fetchVerification, type Instance, NotFetched } from '../verifying/fetch-documents.ts';
import { type AgentVerdict, verifyAgent } from '../verifying/verify-agent.ts';
import { type BundleVerdict, verifyBundle } from '../verifying/verify-bundle.ts';
import { EXIT, Refused } from './exit.ts';
import { baseText, type JsonOption, parsedBy } from './options.ts';
import { printJson, printLine } from './print.ts';

const TIMEOUT_MS = 30_000;

interface VerifyOptions extends JsonOption {
  readonly base?: string;
  readonly version?: string;
}

export function verifyCommand(): Command {
  const agent = new Command('agent')
    .description('recompute score, tier and digests of an agent from the two public documents')
    .argument('<slug>', 'the agent', parsedBy(slug))
    .option('--base <url>', 'the instance to ask (default: BASE_URL)', parsedBy(baseText))
    .option('--json', 'print JSON')
    .action(verifyAgentAt);
  const bundle = new Command('bundle')
    .description('check the files in a folder against the published manifest of a bundle')
    .argument('<slug>', 'the bundle', parsedBy(slug))
    .argument('<folder>', 'where its files are')
    .option('--version <number>', 'an earlier version', parsedBy(versionNumber))
    .option('--base <url>', 'the instance to ask (default: BASE_URL)', parsedBy(baseText))
    .option('--json', 'print JSON')
    .action(verifyBundleAt);
  return new Command('verify')
    .description('check what an instance publishes, trusting nothing but arithmetic')
    .addCommand(agent)
    .addCommand(bundle);
}

async function verifyAgentAt(agent: string, options: VerifyOptions): Promise<void> {
  const verdict = await fetchVerification(instanceOf(options), agent)
    .then(({ record, methodology }) => verifyAgent(record, methodology, new Date().toISOString()))
    .catch(refused);
  if (options.json) printJson(verdict);
  else printAgent(verdict);
  if (!verdict.agrees) process.exitCode = EXIT.refused;
}

async function verifyBundleAt(bundle: string, folder: string, options: VerifyOptions): Promise<void> {
  const verdict = await fetchBundle(instanceOf(options), bundle, options.version)
    .then((document) => verifyBundle(document, folder))
    .catch(refused);
  if (options.json) printJson(verdict);
  else printBundle(verdict);
  if (!verdict.agrees) process.exitCode = EXIT.refused;
}

function printAgent(verdict: AgentVerdict): void {
  const { agent, trustScore, tier, methodologyVersion, scoredAt, comparisons } = verdict;
  printLine(
    `${agent}: trust score ${trustScore}, tier ${tier}, by methodology ${methodologyVersion}, as of ${scoredAt}`,
  );
  for (const { what, published, computed, agrees } of comparisons) {
    if (!agrees)
      printLine(
        `WRONG ${what}: published ${JSON.stringify(published)}, computed ${JSON.stringify(computed)}`,
      );
  }
  if (verdict.isOverdue) printLine('Evidence has expired since: the score is due to be computed anew.');
  if (verdict.agrees) printLine(`All ${comparisons.length} values agree, the digests among them.`);
}

function printBundle({ bundle, version, fileCount, rootHash, faults }: BundleVerdict): void {
  printLine(`${bundle} ${version}: ${fileCount} files, root hash ${rootHash}`);
  for (const { path, message } of faults) printLine(`WRONG ${path === '' ? message : `${path}: ${message}`}`);
  if (faults.length === 0) printLine('Every file is as published.');
}

function instanceOf({ base }: VerifyOptions): Instance {
  return { base: base ?? readConfig().baseUrl, fetch, signal: AbortSignal.timeout(TIMEOUT_MS) };
}

function refused(error: unknown): never {
  if (error instanceof NotFetched) throw new Refused(error.message);
  if (error instanceof z.ZodError) {
    const [fault] = error.issues;
    throw new Refused(
      `what is served is not as its reference says: ${fault?.path.join('.')} ${fault?.message}`,
    );
  }
  throw error;
}
