/** The address of the next page, as RFC 8288 has it: clients that follow links need not know of cursors. */

type Next = Readonly<Record<string, string>>;

/** Of answers that come again, nearly always to the same address. */
const links = new WeakMap<Next, { readonly url: string; readonly link: string }>();

/** The Link of an answer to `url`, whose query is changed by `next`. A reference without host holds behind any proxy. */
export function nextLink(url: string, next: Next): string {
  const known = links.get(next);
  if (known?.url === url) return known.link;
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  for (const [name, value] of Object.entries(next)) searchParams.set(name, value);
  const link = `<${pathname}?${searchParams.toString()}>; rel="next"`;
  links.set(next, { url, link });
  return link;
}
