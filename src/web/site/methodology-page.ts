/** The methodology: how scores and tiers come about, to be read by people. */
import type { MethodologyDocument } from '../../../projections/methodology-document.ts';
import { getMethodology } from '../../operations/directory/get-methodology.ts';
import { html, type Html } from '../html.ts';
import type { SitePage } from './site.ts';
import { pageOver, type Shown } from './page-endpoint.ts';
import { plural, spoken } from './words.ts';
import { table } from './table.ts';

const PATH = '/methodology';

export const methodologyPage = pageOver({ path: PATH, operation: getMethodology, draw: drawMethodology });

function drawMethodology({ data: methodology, query }: Shown<MethodologyDocument>): SitePage {
  const { version, title, introduction, scoring, digest } = methodology;
  return {
    title: 'Methodology',
    description: introduction,
    canonicalPath: PATH,
    noIndex: query.size > 0,
    markdownPath: `${PATH}.md`,
    body: html`<h1>${title}</h1>
      <p class="lead prose">${introduction}</p>
      <p class="quiet">
        Version ${version}. As JSON: <a href="/v1/methodology?version=${version}">/v1/methodology</a>. Digest
        <span class="hash">${digest}</span>
      </p>
      <h2>The score</h2>
      <p><code>${scoring.rule}</code></p>
      <p>${scoring.expiry}</p>
      ${tiers(methodology)} ${checks(methodology)} ${autonomyLevels(methodology)} ${changeLog(methodology)}`,
  };
}

function tiers({ tiers }: MethodologyDocument): Html {
  return html`<h2>Tiers</h2>
    <p>
      The highest tier whose score is reached and whose required checks all pass. Nobody sets one by hand.
    </p>
    ${table(
      'Tiers',
      'From the lowest to the highest',
      [{ title: 'Tier' }, { title: 'From', isNumber: true }, { title: 'Required checks' }],
      tiers.map(
        ({ tier, minimumScore, requiredChecks, description }) =>
          html`<tr>
            <th scope="row">${tier}<br /><span class="quiet small">${description}</span></th>
            <td class="number">${minimumScore}</td>
            <td>${requiredChecks.length === 0 ? 'none' : requiredChecks.map(spoken).join(', ')}</td>
          </tr>`,
      ),
    )}`;
}

function checks({ checks }: MethodologyDocument): Html {
  return html`<h2>Checks</h2>
    ${table(
      'Checks',
      plural(checks.length, 'check'),
      [
        { title: 'Check' },
        { title: 'Weight', isNumber: true },
        { title: 'Evidence' },
        { title: 'How it is assessed' },
      ],
      checks.map(
        (check) =>
          html`<tr id="check-${check.id}">
            <th scope="row">
              ${check.title}<br /><span class="quiet small">${spoken(check.category)}</span>
            </th>
            <td class="number">${check.weight}</td>
            <td>
              ${check.evidenceRequired}
              <span class="quiet small"
                >${check.validityDays === null ? 'Does not expire.' : `Counts for ${check.validityDays} days.`}</span
              >
            </td>
            <td>${check.assessment}</td>
          </tr>`,
      ),
    )}`;
}

function autonomyLevels({ autonomyLevels }: MethodologyDocument): Html {
  return html`<h2>Autonomy levels</h2>
    <p>Named by what is left to you.</p>
    <ol>
      ${autonomyLevels.map(
        ({ userRole, description }) => html`<li><strong>${userRole}</strong>: ${description}</li>`,
      )}
    </ol>`;
}

function changeLog({ changeLog }: MethodologyDocument): Html {
  return html`<h2>Changes</h2>
    <ul>
      ${changeLog.map(
        ({ version, changes }) =>
          html`<li>
            <a href="/methodology?version=${version}">${version}</a>
            <ul>
              ${changes.map((change) => html`<li>${change}</li>`)}
            </ul>
          </li>`,
      )}
    </ul>`;
}
