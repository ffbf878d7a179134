/** What is sent for one call, before it is known whether the caller may. */
import type { Call } from '../operations/operation.ts';
import type { FieldError, Refusal, Refused } from '../operations/refusals.ts';

/** What was sent, not yet parsed by the operation's schema. */
export interface CallInput {
  readonly ok: true;
  readonly value: Readonly<Record<string, unknown>>;
  /** What has no place in the input, found before it is parsed. */
  readonly fieldErrors: readonly FieldError[];
  /** The caller's name for the command, well formed (idempotency.ts). */
  readonly idempotencyKey?: string | undefined;
  /** The text of the body, where the operation wants it. */
  readonly text?: string | undefined;
}

/** One call as its edge describes it. */
export interface CallRequest {
  /** 0 where it was counted before, with the message that it came in. */
  readonly requests: 0 | 1;
  /** Of the body as announced; 0 where it was counted before. */
  readonly bodyBytes: number;
  /** Whether a read without a key counts against the address that it comes from. */
  readonly countsReads: boolean;
  /** Whether the credential in the address is ours; absent where there is none. Asked before a body is read. */
  readonly hasOurToken?: boolean | undefined;
  /** What the operation is given beside its input. */
  readonly has?: Call['has'] | undefined;
  readonly upload?: Call['upload'] | undefined;
  readonly isMonitor?: boolean | undefined;
  /** Reads what was sent; `noteSize` is told the bytes of a body once they are known. */
  read(noteSize: (bytes: number) => void): CallInput | Refused | Promise<CallInput | Refused>;
  /** The no to an input with these field errors, in the words of the edge. */
  refuseInput(fieldErrors: readonly FieldError[], input: CallInput): Refusal;
}
