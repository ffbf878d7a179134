/** A text for machines at one or more addresses: limited, cached and tagged like every public read. */
import type { Endpoint } from '../../transport/endpoint.ts';
import type { HttpContext } from '../../transport/exchange.ts';
import { OPEN_HEADERS } from '../../transport/header-blocks.ts';
import { countedText, textEndpoint } from '../text-endpoint.ts';

/** @param name for the log */
export function machineEndpoints(
  context: HttpContext,
  paths: readonly string[],
  name: string,
  contentType: string,
  make: () => string | Promise<string>,
): Endpoint[] {
  const headers = ['Content-Type', contentType, ...OPEN_HEADERS];
  return paths.map((path) =>
    textEndpoint(context, {
      path,
      name,
      headers,
      cacheControl: 'public, max-age=300',
      crossOrigin: true,
      make: (exchange) => countedText(exchange, make),
    }),
  );
}
