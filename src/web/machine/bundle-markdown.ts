/** A bundle in Markdown, for models: the alternate of its page. */
import type { BundleDocument } from '../../../projections/bundle-document.ts';
import { spoken } from '../site/words.ts';
import { lines, link, paragraphs, plain } from './markdown.ts';

export function bundleMarkdown(bundle: BundleDocument, baseUrl: string): string {
  const { slug, name, tagline, description, agency, version, licence, skills, manifest } = bundle;
  return lines(
    `# ${plain(name)}`,
    '',
    `> ${plain(tagline)}`,
    '',
    paragraphs(description),
    `- Version: ${plain(version)}, ${plain(licence)}`,
    `- Agency: ${link(agency.name, `${baseUrl}/agencies/${agency.slug}`)}`,
    `- Root hash: ${manifest.rootHash}`,
    `- As JSON: <${baseUrl}/v1/bundles/${slug}>`,
    '',
    '## Skills',
    '',
    skills.map((skill) => `- ${spoken(skill.name)}: ${plain(skill.description)}`),
    '',
    '## Files',
    '',
    '| Path | Bytes | SHA-256 |',
    '|---|---|---|',
    manifest.files.map(({ path, size, sha256 }) => `| ${plain(path)} | ${size} | ${sha256} |`),
  );
}
