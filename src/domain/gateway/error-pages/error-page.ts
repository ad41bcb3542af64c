import type { Result } from '../../shared/result.js';
import { parseTemplateOf, type Template } from '../route-transforms/placeholder-template.js';

/** What an error page shows. */
export interface ErrorPageContent {
  readonly status: number;
  readonly title: string;
  /** One sentence about this request. */
  readonly detail: string;
  readonly correlationId: string;
}

/** The placeholders of a template file. */
export const errorPagePlaceholders = ['status', 'title', 'detail', 'correlation_id'] as const;
type ErrorPagePlaceholder = (typeof errorPagePlaceholders)[number];

/** The HTML of a template file, parsed when the configuration loads. */
export type ErrorPageTemplate = Template<ErrorPagePlaceholder>;

/** Longest template in octets. */
export const maxErrorPageOctets = 65_536;

/** Parses a template file. The error names the unknown placeholder. */
export const parseErrorPage = (html: string): Result<ErrorPageTemplate, string> =>
  parseTemplateOf(errorPagePlaceholders, html);

/** What a person can do, by status. */
const adviceByStatus: ReadonlyMap<number, string> = new Map([
  [401, 'Sign in, then open this page again.'],
  [403, 'Ask the operator of this site for access.'],
  [404, 'Check the address for typing errors.'],
  [405, 'Go back and try another way.'],
  [408, 'Check your connection, then try again.'],
  [413, 'Send less data at once.'],
  [429, 'Wait a moment, then try again.'],
  [500, 'Try again later.'],
  [501, 'Go back and try another way.'],
  [502, 'Try again in a few minutes.'],
  [503, 'Try again in a few minutes.'],
  [504, 'Try again in a few minutes.'],
]);

const adviceFor = (status: number): string => adviceByStatus.get(status) ?? 'Go back and check what you sent.';

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
  '=': '&#61;',
};

/**
 * Text for HTML, in elements and in attribute values, quoted or not. Removes control characters, which HTML does not
 * allow.
 */
export const escapeHtml = (text: string): string =>
  text
    .replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, ' ')
    .replaceAll(/[&<>"'`=]/g, (character) => escapes[character] ?? '');

const style = `:root{color-scheme:light dark}
body{font:1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:15vh auto;padding:0 1.5rem}
p.status{font-size:3rem;margin:0;opacity:.6}
h1{font-size:1.5rem;margin:.25rem 0 1rem}
p.reference{margin-top:2rem;font-size:.875rem;opacity:.75;overflow-wrap:anywhere}`;

const standardPage = ({ status, title, detail, correlationId }: ErrorPageContent): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${status} ${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
<main>
<p class="status">${status}</p>
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(detail)}</p>
<p>${adviceFor(status)}</p>
<p class="reference">If you ask for help, name this reference: <code>${escapeHtml(correlationId)}</code></p>
</main>
</body>
</html>
`;

const filled = ({ parts }: ErrorPageTemplate, content: ErrorPageContent): string => {
  const values: Readonly<Record<ErrorPagePlaceholder, string>> = {
    status: String(content.status),
    title: escapeHtml(content.title),
    detail: escapeHtml(content.detail),
    correlation_id: escapeHtml(content.correlationId),
  };
  return parts.map((part) => (typeof part === 'string' ? part : values[part.placeholder])).join('');
};

/** The HTML of an error page. `template` null: the page of the gateway. Every value is escaped. */
export const errorPage = (template: ErrorPageTemplate | null, content: ErrorPageContent): string =>
  template === null ? standardPage(content) : filled(template, content);

/**
 * The policy of every error page: no script, no frame and no other host. Styles and images of a template are part of
 * its file.
 */
export const errorPagePolicy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
