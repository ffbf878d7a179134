/** A process that uses the views in MongoDB and then has nothing more to do. */
import { openMongoViewStore } from '../../../infra/mongodb/view-store.ts';
import { counting } from './counting-view.ts';

const [, , url = ''] = process.argv;
const store = await openMongoViewStore({ url });
await store.open([counting]);
await store.page('counting', { filter: {}, order: 'seen', limit: 1 });
await store.close();
