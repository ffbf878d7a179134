/** What a methodology must be beyond its shape: one that contradicts itself cannot be recomputed by anyone. */
import { AUTONOMY_ROLES } from '../../events/agent-listing.ts';
import { TIERS } from '../../events/agent-score.ts';
import type { Methodology } from '../../events/methodology-events.ts';

export interface MethodologyFieldError {
  readonly path: string;
  readonly message: string;
}

export function fieldErrorsOf(methodology: Methodology): MethodologyFieldError[] {
  return [
    ...checkErrors(methodology),
    ...tierErrors(methodology),
    ...levelErrors(methodology),
    ...changeLogErrors(methodology),
  ];
}

function checkErrors({ checks }: Methodology): MethodologyFieldError[] {
  const seen = new Set<string>();
  return checks.flatMap(({ id }, index) => {
    const isTwice = seen.has(id);
    seen.add(id);
    return isTwice ? [{ path: `checks.${index}.id`, message: `the check ${id} stands here twice` }] : [];
  });
}

function tierErrors({ tiers, checks }: Methodology): MethodologyFieldError[] {
  const fieldErrors: MethodologyFieldError[] = [];
  if (tiers.map(({ tier }) => tier).join() !== TIERS.join()) {
    fieldErrors.push({ path: 'tiers', message: `must be ${TIERS.join(', ')}, in this order, each once` });
  }
  const [lowest] = tiers;
  if (lowest !== undefined && (lowest.minimumScore !== 0 || lowest.requiredChecks.length > 0)) {
    fieldErrors.push({ path: 'tiers.0', message: 'the lowest tier must be open to every agent' });
  }
  const known = new Set(checks.map(({ id }) => id));
  for (const [index, tier] of tiers.entries()) {
    const below = tiers[index - 1];
    if (below !== undefined && tier.minimumScore < below.minimumScore) {
      fieldErrors.push({
        path: `tiers.${index}.minimumScore`,
        message: 'must not be lower than in the tier below',
      });
    }
    for (const [place, id] of tier.requiredChecks.entries()) {
      if (known.has(id)) continue;
      fieldErrors.push({
        path: `tiers.${index}.requiredChecks.${place}`,
        message: `there is no check ${id}`,
      });
    }
  }
  return fieldErrors;
}

function levelErrors({ autonomyLevels }: Methodology): MethodologyFieldError[] {
  const given = autonomyLevels.map(({ level, userRole }) => `${level} ${userRole}`).join(', ');
  const wanted = AUTONOMY_ROLES.map((role, index) => `${index + 1} ${role}`).join(', ');
  return given === wanted ? [] : [{ path: 'autonomyLevels', message: `must be ${wanted}, in this order` }];
}

function changeLogErrors({ changeLog, version }: Methodology): MethodologyFieldError[] {
  if (changeLog[0]?.version === version) return [];
  return [{ path: 'changeLog.0.version', message: `the newest entry must be about version ${version}` }];
}
