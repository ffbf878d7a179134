/** Why the score is what it is: check by check, with the evidence, and what would change it. */
import type { AgentDocument } from '../../../projections/agent-document.ts';
import type { EvidenceDocument, VerificationDocument } from '../../../projections/verification-document.ts';
import { bdi, html, type Html } from '../html.ts';
import { day, plural, RESULTS, spoken } from './words.ts';
import { table } from './table.ts';

type Check = VerificationDocument['checks'][number];

export function evidenceSection(agent: AgentDocument, record: VerificationDocument, baseUrl: string): Html {
  const { earnedPoints, possiblePoints, trustScore, methodology, checks, history } = record;
  const applying = checks.filter(({ result }) => result !== 'not_applicable');
  const open = applying.filter(({ toPass }) => toPass !== null);
  return html`<h2 id="evidence">Why ${trustScore}${open.length === 0 ? null : ', and not more'}</h2>
    <p>
      ${earnedPoints} of ${possiblePoints} points, by
      <a href="/methodology?version=${methodology.version}">methodology ${methodology.version}</a>: a pass
      earns the weight of its check, a partial half of it. The score is round(100 × ${earnedPoints} /
      ${possiblePoints}) = ${trustScore}.
    </p>
    ${open.length === 0 ? html`<p>Every check that applies is passed.</p>` : whatWouldChange(open)}
    <h3>Every check</h3>
    ${table(
      'Every check',
      `Checks of methodology ${methodology.version} that apply to this agent`,
      [{ title: 'Check' }, { title: 'Result' }, { title: 'Points', isNumber: true }],
      applying.map(checkRow),
    )}
    ${earlierScores(history)}
    <h3>Compute it yourself</h3>
    <p>
      From the two public documents alone, on any machine: the command of this project fetches both and
      repeats score, tier and digest; <code>jq</code> and <code>sha256sum</code> alone repeat the digest.
    </p>
    <pre tabindex="0"><code>${verifyLines(agent.slug, baseUrl)}</code></pre>
    <p class="small">
      The <a href="/v1/agents/${agent.slug}/verification">verification record</a> and the
      <a href="/v1/methodology?version=${methodology.version}">methodology</a> as JSON. Digest of the record:
      <span class="hash">${record.digest}</span>
    </p>`;
}

function earlierScores(history: VerificationDocument['history']): Html | null {
  if (history.length === 0) return null;
  return html`<details>
    <summary>${plural(history.length, 'earlier score')}</summary>
    ${table(
      'Earlier scores',
      'The newest first',
      [{ title: 'Since' }, { title: 'Score', isNumber: true }, { title: 'Tier' }, { title: 'Because' }],
      history.map(
        (past) =>
          html`<tr>
            <td>${day(past.scoredAt)}</td>
            <td class="number">${past.trustScore}</td>
            <td>${past.tier}</td>
            <td>${spoken(past.reason)}</td>
          </tr>`,
      ),
    )}
  </details>`;
}

function verifyLines(slug: string, baseUrl: string): string {
  return [
    `bourse verify agent ${slug} --base ${baseUrl}`,
    '',
    `curl -s ${baseUrl}/v1/agents/${slug}/verification \\`,
    "  | jq -cjS '.data | del(.digest)' | sha256sum",
  ].join('\n');
}

function whatWouldChange(checks: readonly Check[]): Html {
  return html`<h3>What would change it</h3>
    <ul>
      ${checks.map(
        ({ title, toPass, scoreIfPassed, result }) =>
          html`<li>
            <strong>${bdi(title)}</strong> (${RESULTS[result].toLowerCase()}): ${bdi(toPass ?? '')}
            ${scoreIfPassed === null ? null : html`The score would be <strong>${scoreIfPassed}</strong>.`}
          </li>`,
      )}
    </ul>`;
}

function checkRow({ title, category, result, points, weight, finding, evidence }: Check): Html {
  return html`<tr>
    <td>
      ${bdi(title)} <span class="quiet small">${spoken(category)}</span>
      ${finding?.note ? html`<span class="change">${bdi(finding.note)}</span>` : null}
      ${
        evidence.length === 0
          ? null
          : html`<ul class="evidence">
              ${evidence.map(evidenceItem)}
            </ul>`
      }
    </td>
    <td><span class="result result-${result}">${RESULTS[result]}</span>${expiry(finding)}</td>
    <td class="number">${points} / ${weight}</td>
  </tr>`;
}

function expiry(finding: Check['finding']): Html | null {
  const until = finding?.validUntil ?? null;
  return until === null ? null : html`<br /><span class="quiet small">until ${day(until)}</span>`;
}

function evidenceItem({ title, url, issuedBy, issuedAt, sha256 }: EvidenceDocument): Html {
  const name =
    url === undefined ? bdi(title) : html`<a href="${url}" rel="nofollow noopener">${bdi(title)}</a>`;
  return html`<li>
    ${name}, ${bdi(issuedBy)}, ${day(issuedAt)}<br /><span class="hash">sha256 ${sha256}</span>
  </li>`;
}
