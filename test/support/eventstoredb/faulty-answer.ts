/** One write or question as it is answered, with or without a fault. */
import type { ServiceError } from '@grpc/grpc-js';
import type { CallContext } from './call-context.ts';
import type { Fault, MetFault } from './faults.ts';
import { notLeader, rpcError } from './rpc-errors.ts';

export interface AnswerableCall<Outcome> {
  /** Does what was asked; called at most once. */
  readonly effect: () => Outcome;
  readonly answer: (outcome: Outcome) => void;
  readonly fail: (error: ServiceError) => void;
  readonly cut: () => void;
  /** What `wrong-version` answers; for calls without versions absent, and the fault then leaves them as they are. */
  readonly wrongVersion?: (current: bigint) => Outcome;
}

export function answerWith<Outcome>(
  { later }: Pick<CallContext, 'later'>,
  met: MetFault | null,
  call: AnswerableCall<Outcome>,
): void {
  if (met === null) return call.answer(call.effect());
  const { fault, hold } = met;
  switch (fault.kind) {
    case 'silence':
      return;
    case 'effect-then-silence':
      call.effect();
      return;
    case 'effect-then-break':
      call.effect();
      return call.cut();
    case 'break':
      return call.cut();
    case 'held': {
      const outcome = call.effect();
      return hold(() => call.answer(outcome));
    }
    case 'late': {
      const outcome = call.effect();
      return later(fault.ms, () => call.answer(outcome));
    }
    case 'slow':
      return later(fault.ms, () => call.answer(call.effect()));
    case 'doubled': {
      const outcome = call.effect();
      call.answer(outcome);
      return call.answer(outcome);
    }
    case 'wrong-version':
      return call.answer(call.wrongVersion?.(fault.current) ?? call.effect());
    case 'status':
      if (fault.after) call.effect();
      return call.fail(statusOf(fault));
    case 'not-leader':
      return call.fail(notLeader(fault.leader));
    case 'silence-after':
    case 'drop-after':
    case 'end-after':
      throw new Error(`${fault.kind} is a fault of reads and subscriptions only`);
  }
}

export function statusOf({ code, details }: Extract<Fault, { kind: 'status' }>): ServiceError {
  return rpcError(code, details ?? 'a fault that the test asked for');
}
