/** `bourse audit`: replay what a key was allowed to do and did, and verify it. */
import { Command } from 'commander';
import { denialDecider } from '../../commands/mandate/record-denial.ts';
import { decodeEvent, type DomainEvent } from '../../events/catalog.ts';
import { idSchema } from '../../events/ids.ts';
import { auditMandate, type MandateAudit } from '../audit/audit-mandate.ts';
import type { AuditStep } from '../audit/replay-mandate.ts';
import { mandateIdOf } from '../operations/mandates/find-mandate.ts';
import { streamIdOf } from '../commanding/command-runner.ts';
import { describeMandate, mandateStateAt } from '../operations/mandates/mandate-schema.ts';
import { exportCommand, verifyCommand } from './audit-export.ts';
import { plural } from '../web/site/words.ts';
import { EXIT, Refused } from './exit.ts';
import { type JsonOption, momentText, parsedBy } from './options.ts';
import { dollars, printJson, printLine } from './print.ts';
import { type LogLine, withLog } from './with-log.ts';

interface AuditOptions extends JsonOption {
  readonly asOf?: string;
}

export function auditCommand(): Command {
  const mandate = new Command('mandate')
    .description('replay the mandate of a key: chain, sums and caps are verified, the state is shown')
    .argument('<keyId>', 'as `bourse key list` shows it', parsedBy(idSchema('apiKey')))
    .option('--as-of <time>', 'the state as it was then', parsedBy(momentText))
    .option('--json', 'print JSON')
    .action((keyId: string, options: AuditOptions) => withLog((line) => audit(keyId, options, line)));
  return new Command('audit')
    .description('replay and verify what keys did')
    .addCommand(mandate)
    .addCommand(exportCommand())
    .addCommand(verifyCommand());
}

async function audit(keyId: string, options: AuditOptions, line: LogLine): Promise<void> {
  const mandateId = await mandateIdOf(line, keyId, line.call.at);
  if (mandateId === undefined) throw new Refused(`there is no key ${keyId}`);
  const onStep = options.json ? undefined : printStep;
  const report = await auditMandate(line.events, mandateId, options.asOf ?? null, onStep);
  const asOf = options.asOf ?? line.call.at;
  const denials = await readDenials(
    line,
    mandateId,
    options.asOf ?? null,
    options.json ? () => {} : printDenial,
  );
  if (options.json) printJson({ ...reportJson(keyId, report, asOf), denials });
  else printReport(report, asOf, denials);
  if (report.findings.length > 0) process.exitCode = EXIT.refused;
}

function printStep({ event, state, findings }: AuditStep): void {
  const spent = state.status === 'absent' ? '' : `  spent ${dollars(state.spentCents)} in ${state.period}`;
  printLine(
    `${String(event.revision).padStart(6)}  ${event.at}  ${event.type.padEnd(22)}${spent}  ${event.meta.actor}`,
  );
  for (const { problem } of findings) printLine(`        WRONG: ${problem}`);
}

interface Denials {
  readonly recorded: number;
  /** Of a flood, as the ones after it say. */
  readonly leftOut: number;
}

/** What the mandate denied, up to `asOf` if it is given; one by one, for its stream may be long. */
async function readDenials(
  { events }: Pick<LogLine, 'events'>,
  mandateId: string,
  asOf: string | null,
  onDenial: (event: DomainEvent & { readonly type: 'SpendDenied' }) => void,
): Promise<Denials> {
  let recorded = 0;
  let leftOut = 0;
  for await (const stored of events.read(streamIdOf(denialDecider, mandateId))) {
    const event = decodeEvent(stored);
    if (event.type !== 'SpendDenied' || (asOf !== null && event.at > asOf)) continue;
    recorded += 1;
    leftOut += event.data.leftOut ?? 0;
    onDenial(event);
  }
  return { recorded, leftOut };
}

function printDenial({
  revision,
  at,
  type,
  data,
  meta,
}: DomainEvent & { readonly type: 'SpendDenied' }): void {
  const { amountCents, action, payee, reasons, leftOut = 0 } = data;
  const others = leftOut === 0 ? '' : `  after ${leftOut} that were not recorded`;
  printLine(
    `${String(revision).padStart(6)}  ${at}  ${type.padEnd(22)}  ${dollars(amountCents)} ${action} to ` +
      `${payee.agency}/${payee.agent}: ${reasons.join(', ')}${others}  ${meta.actor}`,
  );
}

function printReport(report: MandateAudit, asOf: string, { recorded, leftOut }: Denials): void {
  const { state, periods, findings } = report;
  printLine('');
  printLine(`Mandate ${report.mandateId}: ${plural(report.events, 'event')}, head ${report.headHash}`);
  if (state.status === 'absent') printLine(`As of ${asOf} it had not been granted.`);
  else {
    const { spentThisPeriodCents, remainingThisPeriodCents, maxMonthlyCents } = mandateStateAt(state, asOf);
    printLine(
      `As of ${asOf}: ${state.status}, ${dollars(spentThisPeriodCents)} of ${dollars(maxMonthlyCents)} spent, ` +
        `${dollars(remainingThisPeriodCents)} left.`,
    );
  }
  for (const [period, total] of periods) {
    const { spends, spentCents, releases, releasedCents, netCents } = total;
    const released = releases === 0 ? '' : `, ${releases} given back (${dollars(releasedCents)})`;
    printLine(
      `${period}: ${plural(spends, 'spend')} (${dollars(spentCents)})${released}: ${dollars(netCents)}`,
    );
  }
  printLine(
    `${plural(recorded, 'denial')} recorded${leftOut === 0 ? '' : `, ${leftOut} more were left out`}.`,
  );
  for (const { revision, eventId, problem } of findings)
    printLine(`WRONG at ${revision}${eventId === null ? '' : ` (${eventId})`}: ${problem}`);
  printLine(findings.length === 0 ? 'Chain, sums and caps hold.' : `${plural(findings.length, 'finding')}.`);
}

function reportJson(keyId: string, report: MandateAudit, asOf: string): object {
  const { state, periods, findings, ...rest } = report;
  return {
    keyId,
    ...rest,
    asOf,
    verified: findings.length === 0,
    findings,
    mandate: state.status === 'absent' ? null : describeMandate(state, asOf),
    periods: Object.fromEntries(periods),
  };
}
