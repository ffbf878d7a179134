/** How each no to a change of the directory reads. */
import type { AgencyRejection } from '../../../../commands/agency/agency.ts';
import type { AgentRejection } from '../../../../commands/agent/rejections.ts';
import type { BundleRejection } from '../../../../commands/bundle/bundle.ts';
import { assertNever } from '../../../../commands/decider.ts';
import type { MethodologyRejection } from '../../../../commands/methodology/methodology.ts';
import { refuse, type Refused } from '../../refusals.ts';
import { tooMany } from '../../too-many.ts';

/** One field is wrong: the message says it in full, `details` where. */
export function wrongField(path: string, message: string): Refused {
  return refuse('invalid_request', `${path}: ${message}`, { details: [{ path, message }] });
}

export function refuseAgent(slug: string, rejection: AgentRejection): Refused {
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
      const { limit } = rejection;
      const message = `the agent ${slug} has ${limit} pieces of evidence on record, and may have no more`;
      return tooMany(message, limit, 'evidence', 'evidence is limited');
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
}

export function refuseAgency(slug: string, rejection: AgencyRejection): Refused {
  switch (rejection.kind) {
    case 'absent':
      return refuse('not_found', `there is no agency ${slug}`);
    case 'revised_often': {
      const { limit, freeAt } = rejection;
      const message = `An agency may change its profile ${limit} times in a day; again from ${freeAt} on.`;
      return tooMany(message, limit, 'agency', 'changes of the profile are limited');
    }
    default:
      return assertNever(rejection);
  }
}

export function refuseBundle(slug: string, rejection: BundleRejection): Refused {
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
      return tooMany(message, limit, 'version', 'versions of a bundle are limited');
    }
    case 'path_twice':
      return wrongField('files', `${rejection.path} stands there twice`);
    case 'path_below_file':
      return wrongField('files', `${rejection.path} lies in a folder that is a file there`);
    default:
      return assertNever(rejection);
  }
}

export function refuseMethodology(rejection: MethodologyRejection): Refused {
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
