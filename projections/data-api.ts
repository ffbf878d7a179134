/** The views of the Directory Data API, for whoever opens and feeds them. */
import { dataSets } from './data-sets.ts';
import { directoryRows } from './directory-rows.ts';
import { imports } from './imports.ts';
import { models } from './models.ts';
import { tools } from './tools.ts';

export const dataApiProjections = [dataSets, directoryRows, tools, models, imports] as const;
