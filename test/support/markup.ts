/** Documents as browsers parse them, for tests that ask what is in a page. */
import { type DefaultTreeAdapterMap, parse } from 'parse5';

type Node = DefaultTreeAdapterMap['node'];
export type Element = DefaultTreeAdapterMap['element'];

/** Every element of the document, in its order, those of templates too. */
export function elementsOf(html: string): Element[] {
  return [...within(parse(html))];
}

function* within(node: Node): Generator<Element> {
  if ('tagName' in node) yield node;
  if ('content' in node) yield* within(node.content);
  if ('childNodes' in node) for (const child of node.childNodes) yield* within(child);
}

export function attributeOf({ attrs }: Element, name: string): string | undefined {
  return attrs.find((attribute) => attribute.name === name)?.value;
}

export function textOf(node: Node): string {
  if ('value' in node) return node.value;
  return 'childNodes' in node ? node.childNodes.map(textOf).join('') : '';
}

/** The data that the page holds for machines. */
export function jsonLdOf(html: string): Record<string, unknown> {
  const [script, ...others] = elementsOf(html).filter(
    (element) => element.tagName === 'script' && attributeOf(element, 'type') === 'application/ld+json',
  );
  if (script === undefined || others.length > 0) throw new Error('the page has not one JSON-LD element');
  return JSON.parse(textOf(script));
}

/** The `content` of the meta element of this name or property. */
export function metaOf(html: string, name: string): string | undefined {
  const found = elementsOf(html).find(
    (element) =>
      element.tagName === 'meta' &&
      [attributeOf(element, 'name'), attributeOf(element, 'property')].includes(name),
  );
  return found && attributeOf(found, 'content');
}
