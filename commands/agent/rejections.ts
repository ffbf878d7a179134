/** What an agent answers to a command, and the ways in which it says no. */
import type { AgentFact } from '../../events/agent-events.ts';
import type { Decision } from '../decider.ts';

export type AgentRejection =
  | { readonly kind: 'absent' }
  | { readonly kind: 'retired' }
  /** A listing stays with the agency that published it. */
  | { readonly kind: 'agency_changed'; readonly agency: string }
  /** This id is on record with other content: evidence never changes, new evidence gets a new id. */
  | { readonly kind: 'evidence_differs'; readonly evidence: string }
  /** As much evidence is on record as there may be. */
  | { readonly kind: 'evidence_full'; readonly limit: number }
  | { readonly kind: 'evidence_dates'; readonly evidence: string; readonly message: string }
  | { readonly kind: 'unknown_check'; readonly check: string; readonly version: string }
  | { readonly kind: 'unknown_evidence'; readonly evidence: readonly string[] }
  /** A pass or a partial rests on at least one piece of evidence of a kind that the check accepts. */
  | { readonly kind: 'evidence_missing'; readonly check: string; readonly accepted: readonly string[] }
  /** The agent was scored by a later version already: whoever asked has read an old one. */
  | { readonly kind: 'methodology_outdated'; readonly version: string };

export type AgentDecision = Decision<AgentFact, AgentRejection>;
