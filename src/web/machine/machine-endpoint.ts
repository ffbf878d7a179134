/** A text for machines at one or more addresses: limited, cached and tagged like every public read. */
import type { Endpoint } from '../../transport/endpoint.ts';
import type { HttpContext } from '../../transport/exchange.ts';
import { OPEN_HEADERS } from '../../transport/header-blocks.ts';
import { countedText, plainRefusal, textEndpoint } from '../text-endpoint.ts';

const CACHE_CONTROL = 'public, max-age=300';

export interface MachineText {
  /** For the log. */
  readonly name: string;
  readonly contentType: string;
  readonly make: () => string | Promise<string>;
}

export function machineEndpoints(
  context: HttpContext,
  paths: readonly string[],
  text: MachineText,
): Endpoint[] {
  const { name, contentType, make } = text;
  const headers = ['Content-Type', contentType, ...OPEN_HEADERS];
  return paths.map((path) =>
    textEndpoint(context, {
      path,
      name,
      headers,
      cacheControl: CACHE_CONTROL,
      crossOrigin: true,
      make: (exchange) => countedText(exchange, make),
      refuse: plainRefusal,
    }),
  );
}
