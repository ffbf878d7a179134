/** The address of the next page, as RFC 8288 has it: clients that follow links need not know of cursors. */

/** The Link of an answer to `url`, whose query is changed by `next`. A reference without host holds behind any proxy. */
export function nextLink(url: string, next: Readonly<Record<string, string>>): string {
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  for (const [name, value] of Object.entries(next)) searchParams.set(name, value);
  return `<${pathname}?${searchParams.toString()}>; rel="next"`;
}
