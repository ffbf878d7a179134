/** What is said of the settings: in `bourse serve --help` and in docs/settings.md. */
import { settings } from './settings.ts';

const rows = Object.values(settings);
const INDENT = '  ';

/** For the terminal, below the options. */
export function settingsHelp(): string {
  const width = Math.max(...rows.map(({ name }) => name.length)) + 2;
  const lines = rows.flatMap(({ name, description, expects, default: value }) => [
    `${INDENT}${name.padEnd(width)}${description}`,
    `${INDENT}${' '.repeat(width)}${expects}${value === null ? '' : ` (default: ${value})`}`,
  ]);
  return ['Settings, from the environment:', ...lines].join('\n');
}

export function settingsMarkdown(): string {
  const lines = rows.map(
    ({ name, description, expects, default: value }) =>
      `| \`${name}\` | ${value === null ? '' : `\`${value}\``} | ${cell(expects)} | ${cell(description)} |`,
  );
  return `# Settings

Read from the environment at the start and checked there: a wrong one stops the start with one line that names the
setting, its value and what would be right. An empty variable counts as absent. This page is written from
\`src/settings/settings.ts\` by \`npm run settings\`.

| Setting | Default | Must be | What for |
|---|---|---|---|
${lines.join('\n')}
`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll(/<[^>]+>/g, (tag) => `\`${tag}\``);
}
