import { describe, expect, it } from 'vitest';
import {
  type ErrorPageContent,
  type ErrorPageTemplate,
  errorPage,
  errorPagePolicy,
  parseErrorPage,
} from '../../../../../src/domain/gateway/error-pages/error-page.js';
import { gatewayProblems } from '../../../../../src/domain/http/gateway-problem.js';

const content: ErrorPageContent = {
  status: 404,
  title: 'No route matches',
  detail: 'Nothing here.',
  correlationId: 'c-1',
};

const parsed = (html: string): ErrorPageTemplate => {
  const page = parseErrorPage(html);
  if (!page.ok) throw new Error(page.error);
  return page.value;
};

describe('the standard error page', () => {
  it('shows status, title, detail, advice and correlation id', () => {
    const page = errorPage(null, content);
    for (const text of ['404', 'No route matches', 'Nothing here.', 'Check the address', 'c-1']) {
      expect(page).toContain(text);
    }
  });

  it('has no script and names no other resource', () => {
    expect(errorPage(null, content)).not.toMatch(/<script|<link|<img|https?:|src=|url\(/i);
    expect(errorPagePolicy).toMatch(/^default-src 'none'/);
  });

  it('tells a person what to do, for every error of the gateway, in less than 8 KiB', () => {
    for (const { status, title } of Object.values(gatewayProblems)) {
      const page = errorPage(null, { ...content, status, title });
      expect(page).toMatch(/<p>[A-Z][^<]+\.<\/p>\n<p class="reference">/);
      expect(page.length).toBeLessThan(8_192);
    }
  });
});

describe('a template of an error page', () => {
  it('gets escaped values', () => {
    const template = parsed('<p title="{title}">{status} {detail}</p><i>{correlation_id}</i>');
    const page = errorPage(template, { ...content, title: '"><script>', detail: "<b>'x'&", correlationId: 'a`=b' });
    expect(page).toBe('<p title="&quot;&gt;&lt;script&gt;">404 &lt;b&gt;&#39;x&#39;&amp;</p><i>a&#96;&#61;b</i>');
  });

  it('keeps the braces of style sheets', () => {
    const css = 'body { color: red }\np{margin:0}\n';
    expect(errorPage(parsed(css), content)).toBe(css);
  });

  it('is refused if it has another placeholder', () => {
    expect(parseErrorPage('<p>{client_ip}</p>')).toEqual({ ok: false, error: '"{client_ip}" is not a placeholder' });
  });
});
