/** What a methodology must be beyond its shape: one that contradicts itself cannot be recomputed by anyone. */
import { AUTONOMY_ROLES } from '../../events/agent-listing.ts';
import { TIERS } from '../../events/agent-score.ts';
import type { Methodology } from '../../events/methodology-events.ts';

export interface MethodologyFault {
  readonly path: string;
  readonly message: string;
}

export function faultsOf(methodology: Methodology): MethodologyFault[] {
  return [
    ...checkFaults(methodology),
    ...tierFaults(methodology),
    ...levelFaults(methodology),
    ...changeLogFaults(methodology),
  ];
}

function checkFaults({ checks }: Methodology): MethodologyFault[] {
  const seen = new Set<string>();
  return checks.flatMap(({ id }, index) => {
    const isTwice = seen.has(id);
    seen.add(id);
    return isTwice ? [{ path: `checks.${index}.id`, message: `the check ${id} stands here twice` }] : [];
  });
}

function tierFaults({ tiers, checks }: Methodology): MethodologyFault[] {
  const faults: MethodologyFault[] = [];
  if (tiers.map(({ tier }) => tier).join() !== TIERS.join()) {
    faults.push({ path: 'tiers', message: `must be ${TIERS.join(', ')}, in this order, each once` });
  }
  const [lowest] = tiers;
  if (lowest !== undefined && (lowest.minimumScore !== 0 || lowest.requiredChecks.length > 0)) {
    faults.push({ path: 'tiers.0', message: 'the lowest tier must be open to every agent' });
  }
  const known = new Set(checks.map(({ id }) => id));
  for (const [index, tier] of tiers.entries()) {
    const below = tiers[index - 1];
    if (below !== undefined && tier.minimumScore < below.minimumScore) {
      faults.push({
        path: `tiers.${index}.minimumScore`,
        message: 'must not be lower than in the tier below',
      });
    }
    for (const [place, id] of tier.requiredChecks.entries()) {
      if (known.has(id)) continue;
      faults.push({ path: `tiers.${index}.requiredChecks.${place}`, message: `there is no check ${id}` });
    }
  }
  return faults;
}

function levelFaults({ autonomyLevels }: Methodology): MethodologyFault[] {
  const given = autonomyLevels.map(({ level, userRole }) => `${level} ${userRole}`).join(', ');
  const wanted = AUTONOMY_ROLES.map((role, index) => `${index + 1} ${role}`).join(', ');
  return given === wanted ? [] : [{ path: 'autonomyLevels', message: `must be ${wanted}, in this order` }];
}

function changeLogFaults({ changeLog, version }: Methodology): MethodologyFault[] {
  if (changeLog[0]?.version === version) return [];
  return [{ path: 'changeLog.0.version', message: `the newest entry must be about version ${version}` }];
}
