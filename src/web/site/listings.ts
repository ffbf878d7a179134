/** What the files for machines list. */
import { AGENCIES, type AgencyDocument } from '../../../projections/agencies.ts';
import { AGENT_DIRECTORY } from '../../../projections/agent-directory.ts';
import type { AgentDocument } from '../../../projections/agent-document.ts';
import type { BundleSummary } from '../../../projections/bundle-document.ts';
import { BUNDLES } from '../../../projections/bundles.ts';
import type { ViewStore } from '../../../projections/view-store.ts';
import { everyRow } from '../../operations/walk-view.ts';

/** The listed agents, the most trusted first, or in another of the directory's orders. */
export function listedAgents(
  views: ViewStore,
  most: number,
  order = '-trustScore',
): Promise<AgentDocument[]> {
  return everyRow<AgentDocument>(views, AGENT_DIRECTORY, { filter: { status: 'listed' }, order }, most);
}

export function listedAgencies(views: ViewStore, most: number): Promise<AgencyDocument[]> {
  return everyRow<AgencyDocument>(views, AGENCIES, { filter: {}, order: 'name' }, most);
}

export function listedBundles(views: ViewStore, most: number): Promise<BundleSummary[]> {
  return everyRow<BundleSummary>(views, BUNDLES, { filter: {}, order: 'name' }, most);
}
