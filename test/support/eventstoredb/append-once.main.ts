/** A process of its own that appends once over a batch append, says so, and then waits to be ended. */
import { clientOf, event } from './client-of.ts';

const [url = ''] = process.argv.slice(2);
await clientOf({ url }).appendToStream('s', event());
process.stdout.write('appended\n');
setInterval(() => {}, 60_000);
