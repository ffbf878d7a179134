/** What is answered once, with or without a fault. */
import type { ServiceError } from '@grpc/grpc-js';
import type { AnswerFault, Met } from './faults.ts';
import { notLeader, rpcError } from './rpc-errors.ts';

export interface AnswerableCall<Outcome> {
  /** Does what was asked; called at most once. */
  readonly effect: () => Outcome;
  readonly answer: (outcome: Outcome) => void;
  readonly fail: (error: ServiceError) => void;
  readonly cut: () => void;
  /** Runs something later, unless the double has stopped by then. */
  readonly later: (ms: number, task: () => void) => void;
  /** The outcomes that faults of writes ask for; other calls have none, and such a fault is then a mistake. */
  readonly wrongVersion?: (current: bigint) => Outcome;
  readonly timedOut?: () => Outcome;
}

export function answerWith<Outcome>(met: Met<AnswerFault> | null, call: AnswerableCall<Outcome>): void {
  if (met === null) return call.answer(call.effect());
  const { fault } = met;
  switch (fault.kind) {
    case 'silence':
      return;
    case 'break':
      return call.cut();
    case 'slow':
      return call.later(fault.ms, () => call.answer(call.effect()));
    case 'status':
      return call.fail(rpcError(fault.code, fault.details ?? 'as the test asked'));
    case 'not-leader':
      return call.fail(notLeader(fault.leader));
    case 'wrong-version':
      return call.answer(only(call.wrongVersion, fault)(fault.current));
    case 'server-timeout':
      if (fault.isCommitted) call.effect();
      return call.answer(only(call.timedOut, fault)());
    default:
      return answerAfterEffect(call.effect(), fault, met.hold, call);
  }
}

function answerAfterEffect<Outcome>(
  outcome: Outcome,
  fault: Extract<AnswerFault, { kind: `effect-${string}` | 'late' | 'held' | 'doubled' }>,
  hold: (task: () => void) => void,
  call: AnswerableCall<Outcome>,
): void {
  switch (fault.kind) {
    case 'effect-then-silence':
      return;
    case 'effect-then-break':
      return call.cut();
    case 'effect-then-status':
      return call.fail(rpcError(fault.code, fault.details ?? 'as the test asked'));
    case 'late':
      return call.later(fault.ms, () => call.answer(outcome));
    case 'held':
      return hold(() => call.answer(outcome));
    case 'doubled':
      call.answer(outcome);
      return call.answer(outcome);
  }
}

function only<Make>(make: Make | undefined, { kind }: AnswerFault): Make {
  if (make === undefined) throw new Error(`${kind} is a fault of writes only`);
  return make;
}
