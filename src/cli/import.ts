/** `bourse import`: take the rows of a file into a data set of the Directory Data API. */
import { createReadStream } from 'node:fs';
import { basename, extname } from 'node:path';
import { Command, Option } from 'commander';
import { attributionSchema, dataSetName } from '../../events/data-set-events.ts';
import { asLine, webAddress } from '../../events/texts.ts';
import { type ImportOutcome, importRows } from '../importing/import-rows.ts';
import { ROW_FORMATS, type RowFormat } from '../importing/source-row.ts';
import { listenForStop } from '../timing/stop-signal.ts';
import { EXIT, Refused, WrongUsage } from './exit.ts';
import { type JsonOption, parsedBy } from './options.ts';
import { complain, printJson, printLine } from './print.ts';
import { progressLine } from './progress-line.ts';
import { withMarket } from './with-market.ts';

interface ImportOptions extends JsonOption {
  readonly dataset: string;
  readonly format?: RowFormat;
  readonly complete?: true;
  readonly yesRetireMany?: true;
  readonly dryRun?: true;
  readonly attribution?: string;
  readonly attributionUrl?: string;
  readonly licence?: string;
}

const { text: attributionText, licence: licenceText } = attributionSchema.shape;

export function importCommand(): Command {
  return new Command('import')
    .description('take rows into a data set from a file of JSON lines, a JSON array or CSV')
    .argument('<file>', 'the file, or - for standard input')
    .requiredOption(
      '--dataset <name>',
      'tools, models, or directory/PLATFORM/TYPE, such as directory/mcp/servers',
      parsedBy(dataSetName),
    )
    .addOption(
      new Option('--format <format>', 'what the file is, where its name does not say so').choices(
        ROW_FORMATS,
      ),
    )
    .option('--complete', 'the file holds the whole data set: retire rows that it lacks')
    .option('--yes-retire-many', 'with --complete: even if more than a fifth of the rows are retired')
    .option('--dry-run', 'only say what would change')
    .option('--attribution <text>', 'whom to name where the rows are shown', parsedBy(attributionText))
    .option('--attribution-url <url>', 'the https address of that', parsedBy(webAddress))
    .option('--licence <name>', 'on which terms the rows are handed on', parsedBy(licenceText.unwrap()))
    .option('--json', 'print the whole report as JSON')
    .addHelpText(
      'after',
      `
Example:
  bourse import ai-tools.jsonl --dataset tools --complete --attribution "awesome-ai-tools and its contributors"

Good rows are taken and each other one is told with its line. The same file again changes nothing. An import that was
broken off leaves nothing, or is finished by the next one.`,
    )
    .action(importFile);
}

async function importFile(file: string, options: ImportOptions): Promise<void> {
  const format = options.format ?? formatOf(file);
  const attribution = attributionOf(options);
  await withMarket(
    async ({ market, call: cause }) => {
      const stop = listenForStop();
      const progress = progressLine(process.stderr, Date.now);
      try {
        const outcome = await importRows(market.services, {
          dataset: options.dataset,
          bytes: file === '-' ? stoppable(process.stdin, stop.signal) : readFile(file, stop.signal),
          format,
          source: {
            kind: 'file',
            name: file === '-' ? 'standard input' : asLine(basename(file), 300, 'a file'),
          },
          attribution,
          isComplete: options.complete === true,
          mayRetireMany: options.yesRetireMany === true,
          dryRun: options.dryRun === true,
          cause,
          onProgress: (rows) => progress.show({ phase: 'rows read', done: rows, total: null }),
        });
        progress.end();
        if (options.json) printJson(outcome);
        else print(outcome, options);
        if (!outcome.ok) process.exitCode = EXIT.refused;
        // Whoever asks the service next finds what was imported.
        if (hasAdded(outcome)) await market.catchUp();
      } catch (error) {
        progress.end();
        if (!isStop(error, stop.signal)) throw error;
        complain('stopped before all rows were read: nothing of it was imported');
        process.exitCode = EXIT.interrupted;
      } finally {
        stop.release();
      }
    },
    { isMade: true },
  );
}

/** Only the reading of rows is stopped: what fails later, after a stop too, may have imported something. */
function isStop(error: unknown, { aborted, reason }: AbortSignal): boolean {
  return aborted && (error === reason || (error instanceof Error && error.name === 'AbortError'));
}

function hasAdded(outcome: ImportOutcome): boolean {
  return outcome.ok ? outcome.importId !== null : outcome.refusal.kind === 'abandoned';
}

const FORMATS: Readonly<Record<string, RowFormat>> = {
  '.jsonl': 'jsonl',
  '.ndjson': 'jsonl',
  '.json': 'json',
  '.csv': 'csv',
};

function formatOf(file: string): RowFormat {
  const format = FORMATS[extname(file).toLowerCase()];
  if (format !== undefined) return format;
  throw new WrongUsage(`what ${file} is does not show by its name: say --format jsonl, json or csv`);
}

function attributionOf({ attribution, attributionUrl, licence }: ImportOptions) {
  if (attribution !== undefined)
    return { text: attribution, url: attributionUrl ?? null, licence: licence ?? null };
  if (attributionUrl === undefined && licence === undefined) return null;
  throw new WrongUsage('--attribution-url and --licence belong to an --attribution');
}

const CHUNK_BYTES = 256 * 1_024;

async function* readFile(file: string, signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
  try {
    // Without an encoding its chunks are bytes.
    yield* createReadStream(file, { signal, highWaterMark: CHUNK_BYTES }) as AsyncIterable<Uint8Array>;
  } catch (error) {
    if (signal.aborted || !(error instanceof Error && 'code' in error)) throw error;
    throw new Refused(`${file} cannot be read (${String(error.code)})`);
  }
}

async function* stoppable(
  bytes: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  for await (const chunk of bytes) {
    signal.throwIfAborted();
    yield chunk;
  }
}

const SHOWN_NOTES = 20;

function print(outcome: ImportOutcome, { dataset, dryRun }: ImportOptions): void {
  const { report } = outcome;
  if (report !== null) {
    const { counts, rows } = report;
    printNotes('refused', report.refused, counts.refused);
    printNotes('taken under an id of its own', report.collisions, report.collisions.length);
    printNotes('taken, and could not be read whole', report.odd, report.odd.length);
    const parts = Object.entries(counts).map(([what, count]) => `${count} ${what}`);
    if (outcome.ok && report.missingKept > 0)
      printLine(
        `${report.missingKept} listed rows are missing and were not retired: they may be among the refused rows.`,
      );
    printLine(`${dataset}: ${rows} rows read: ${parts.join(', ')}.`);
  }
  if (outcome.ok && outcome.isAttributionDropped)
    printLine('The attribution was not kept: no row has changed, and rows are what it is said of.');
  printLine(outcome.ok ? whatWasDone(outcome, dryRun === true) : whyNot(outcome));
}

function printNotes(
  what: string,
  notes: readonly { readonly line: number; readonly reason: string }[],
  count: number,
): void {
  for (const { line, reason } of notes.slice(0, SHOWN_NOTES)) printLine(`line ${line} ${what}: ${reason}`);
  if (count > SHOWN_NOTES) printLine(`${count - SHOWN_NOTES} more were ${what}; --json tells them.`);
}

type Taken = Extract<ImportOutcome, { ok: true }>;
type NotTaken = Extract<ImportOutcome, { ok: false }>;

function whatWasDone({ importId, report: { rows, counts } }: Taken, dryRun: boolean): string {
  if (dryRun) return 'Nothing was changed: this was a dry run.';
  if (importId !== null) return `Imported as ${importId}.`;
  if (counts.refused === 0) return 'All was so already: nothing was imported.';
  return counts.refused === rows
    ? 'Nothing was imported: no row could be taken.'
    : 'Nothing was imported: what could be taken was so already.';
}

function whyNot({ refusal, report }: NotTaken): string {
  // Rows that may be among the refused ones are kept, whatever is said.
  const isKept = (report?.missingKept ?? 0) > 0;
  switch (refusal.kind) {
    case 'unreadable':
      return `Nothing of it was imported: the file cannot be read: ${refusal.reason}.`;
    case 'no_rows':
      return `Nothing of it was imported: the file has no row that can be taken${isKept ? '' : '; --yes-retire-many takes that as complete'}.`;
    case 'retires_many':
      return `Nothing of it was imported: ${refusal.retired} of ${refusal.listed} listed rows are missing, which is more than a fifth; ${isKept ? 'they may be among the refused rows: mend those' : '--yes-retire-many retires them'}.`;
    case 'abandoned':
      return `${refusal.importId} was abandoned: not all of its rows were added, since what was staged of them is gone from the blob store. Run it again, and see that bourse import and the service share the blob store.`;
    case 'other_request':
      throw new Error('the command line gives an import no name that could come again');
    case 'overtaken':
      return 'Nothing of it was imported: another import of this data set came first; run it again.';
  }
}
