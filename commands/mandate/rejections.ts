/** What a mandate answers to a command, and the ways in which it says no. */
import type { MandateFact } from '../../events/mandate-events.ts';
import type { Decision } from '../decider.ts';
import type { Violation } from './controls.ts';

export type MandateRejection =
  | { readonly kind: 'absent' }
  | { readonly kind: 'already_granted' }
  | { readonly kind: 'denied'; readonly violations: readonly [Violation, ...Violation[]] }
  /** The mandate is in this period, which is no later than the one it should be put right to. */
  | { readonly kind: 'period'; readonly period: string }
  /** Somebody has spent since the stream was read. */
  | { readonly kind: 'changed' }
  /** The command does not apply to a mandate in this status. */
  | { readonly kind: 'status'; readonly status: 'active' | 'suspended' | 'revoked' };

export type MandateDecision = Decision<MandateFact, MandateRejection>;
