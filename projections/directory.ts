/** The views of the directory, for whoever opens and feeds them. */
import { agencies } from './agencies.ts';
import { agentDirectory } from './agent-directory.ts';
import { bundleManifests, bundles } from './bundles.ts';
import { directoryChanges } from './directory-changes.ts';
import { methodologies } from './methodologies.ts';
import { retiredAgents } from './retired-agents.ts';
import { verificationRecords } from './verification-records.ts';

export const directoryProjections = [
  agentDirectory,
  verificationRecords,
  retiredAgents,
  agencies,
  bundles,
  bundleManifests,
  methodologies,
  directoryChanges,
] as const;
