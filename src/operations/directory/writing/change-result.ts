/** The result of a change of the directory, and how each way of saying no reads. */
import type { AgencyRejection } from '../../../../commands/agency/agency.ts';
import type { AgentRejection } from '../../../../commands/agent/rejections.ts';
import type { BundleRejection } from '../../../../commands/bundle/bundle.ts';
import { assertNever } from '../../../../commands/decider.ts';
import type { MethodologyRejection } from '../../../../commands/methodology/methodology.ts';
import { idempotencyMismatch } from '../../idempotency.ts';
import { refuse, type Refused } from '../../refusals.ts';
import type { Answer } from './change-executor.ts';

export type ChangeResult =
  | {
      readonly ok: true;
      readonly events: readonly string[];
      readonly replayed: boolean;
      readonly position: string | null;
    }
  | Refused;

export function changeResult<Rejection>(
  answer: Answer<Rejection>,
  explain: (rejection: Rejection) => Refused,
): ChangeResult {
  switch (answer.kind) {
    case 'done': {
      const { events, replayed, position } = answer;
      return { ok: true, events, replayed, position };
    }
    case 'mismatch':
      return idempotencyMismatch();
    case 'rejected':
      return explain(answer.rejection);
    default:
      return assertNever(answer);
  }
}

/** One field is wrong: the message says it in full, `details` where. */
export function wrongField(path: string, message: string): Refused {
  return refuse('invalid_request', `${path}: ${message}`, { details: [{ path, message }] });
}

export function explainAgent(slug: string): (rejection: AgentRejection) => Refused {
  return (rejection) => {
    switch (rejection.kind) {
      case 'absent':
        return refuse('not_found', `there is no agent ${slug}`);
      case 'retired':
        return refuse('conflict', `the agent ${slug} is retired: that is for good`);
      case 'agency_changed':
        return refuse('conflict', `the agent ${slug} belongs to ${rejection.agency} and stays there`);
      case 'evidence_differs':
        return refuse(
          'conflict',
          `evidence ${rejection.evidence} is on record with other content: evidence never changes, give new evidence a new id`,
        );
      case 'evidence_full': {
        const message = `the agent ${slug} has ${rejection.limit} pieces of evidence on record, and may have no more`;
        const details = [
          { path: 'evidence', message: 'evidence is limited', limit: String(rejection.limit) },
        ];
        return refuse('conflict', message, { details });
      }
      case 'evidence_dates':
        return wrongField('evidence', `${rejection.evidence}: ${rejection.message}`);
      case 'unknown_check':
        return wrongField('check', `methodology ${rejection.version} has no check ${rejection.check}`);
      case 'unknown_evidence':
        return wrongField('evidence', `not on record: ${rejection.evidence.join(', ')}`);
      case 'evidence_missing':
        return wrongField(
          'evidence',
          `${rejection.check} rests on evidence of one of these kinds: ${rejection.accepted.join(', ')}`,
        );
      case 'methodology_outdated':
        return refuse('conflict', `methodology ${rejection.version} is no longer in force: try again`);
      default:
        return assertNever(rejection);
    }
  };
}

export function explainAgency(slug: string): (rejection: AgencyRejection) => Refused {
  return (rejection) => {
    switch (rejection.kind) {
      case 'absent':
        return refuse('not_found', `there is no agency ${slug}`);
      case 'revised_often': {
        const { limit, freeAt } = rejection;
        const message = `An agency may change its profile ${limit} times in a day; again from ${freeAt} on.`;
        const details = [
          { path: 'agency', message: 'changes of the profile are limited', limit: String(limit) },
        ];
        return refuse('conflict', message, { details });
      }
      default:
        return assertNever(rejection);
    }
  };
}

export function explainBundle(slug: string): (rejection: BundleRejection) => Refused {
  return (rejection) => {
    switch (rejection.kind) {
      case 'absent':
        return refuse('not_found', `there is no bundle ${slug}`);
      case 'retired':
        return refuse('conflict', `the bundle ${slug} is retired: that is for good`);
      case 'agency_changed':
        return refuse('conflict', `the bundle ${slug} belongs to ${rejection.agency} and stays there`);
      case 'version_differs':
        return refuse(
          'conflict',
          `version ${rejection.version} of ${slug} was published with other content: a version never changes`,
        );
      case 'version_not_newer':
        return wrongField('version', `must be newer than ${rejection.current}`);
      case 'published_often': {
        const { limit, freeAt } = rejection;
        const message = `An agency may publish ${limit} versions of a bundle in a day; again from ${freeAt} on.`;
        const details = [
          { path: 'version', message: 'versions of a bundle are limited', limit: String(limit) },
        ];
        return refuse('conflict', message, { details });
      }
      case 'path_twice':
        return wrongField('files', `${rejection.path} stands there twice`);
      case 'path_below_file':
        return wrongField('files', `${rejection.path} lies in a folder that is a file there`);
      default:
        return assertNever(rejection);
    }
  };
}

export function explainMethodology(rejection: MethodologyRejection): Refused {
  switch (rejection.kind) {
    case 'inconsistent':
      return refuse('invalid_request', 'the methodology contradicts itself', {
        details: rejection.fieldErrors,
      });
    case 'version_differs':
      return refuse(
        'conflict',
        `version ${rejection.version} was published with other content: a version never changes`,
      );
    case 'version_not_newer':
      return wrongField('version', `must be newer than ${rejection.current}`);
    default:
      return assertNever(rejection);
  }
}
