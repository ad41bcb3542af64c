import { escapeAttribute, escapeText } from '../../../../domain/agent/xml/xml-characters.js';
import {
  type AgentAnswer,
  type AgentDecision,
  allowAnswer,
  type HeaderOperation,
} from '../../../../domain/agent-protocol/messages.js';
import { withNoStore } from '../../agent-service/refusal.js';

/** What a browser gets once it is signed out: a page of the application, or one of ours. */
export const signedOutAnswer = (signedOutPath: string | null, cookies: readonly HeaderOperation[]): AgentAnswer =>
  signedOutPath === null
    ? noticePage('Signed out', 'You are signed out here. To be sure, close the browser.', cookies)
    : redirectAnswer(signedOutPath, cookies);

/** What a browser gets that has brought the end of sessions of others, and keeps its own. */
export const othersSignedOutAnswer = (): AgentAnswer =>
  noticePage(
    'Sessions ended',
    'The sessions that the identity provider named have ended. That of this browser is none.',
    [],
  );

const answerOf = (decision: AgentDecision, operations: readonly HeaderOperation[]): AgentAnswer =>
  withNoStore({ ...allowAnswer, decision, responseHeaders: operations });

/** 302, or what is given, to a URL, or to a path and query of ours. */
export const redirectAnswer = (
  url: string,
  operations: readonly HeaderOperation[],
  status: 302 | 303 = 302,
): AgentAnswer => answerOf({ kind: 'redirect', url, status }, operations);

/** 200 with a body that is no page. */
export const documentAnswer = (contentType: string, body: string): AgentAnswer =>
  answerOf({ kind: 'block', status: 200, body, headers: ['Content-Type', contentType] }, []);

const headersOfPage = (policy: string, referrerPolicy: string): readonly string[] => [
  ...['Content-Type', 'text/html; charset=utf-8'],
  ...['Content-Security-Policy', `default-src 'none'; base-uri 'none'; frame-ancestors 'none'; ${policy}`],
  ...['X-Content-Type-Options', 'nosniff'],
  ...['Referrer-Policy', referrerPolicy],
];

const pageHeaders = headersOfPage("form-action 'none'", 'no-referrer');

const page = (head: string, body: string): string =>
  `<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n${head}</head>\n<body>\n${body}</body>\n</html>\n`;

const pageAnswer = (html: string, operations: readonly HeaderOperation[], status = 200): AgentAnswer =>
  answerOf({ kind: 'block', status, body: html, headers: pageHeaders }, operations);

/** A page that says one thing. It runs nothing and loads nothing. */
export const noticePage = (title: string, text: string, operations: readonly HeaderOperation[]): AgentAnswer => {
  const head = `<title>${escapeText(title)}</title>\n`;
  return pageAnswer(page(head, `<h1>${escapeText(title)}</h1>\n<p>${escapeText(text)}</p>\n`), operations);
};

/**
 * A page that goes on by itself. What it leads to is a request that our own page makes: browsers send cookies with it
 * that they keep back, being SameSite Strict, where a redirect ends what another site began.
 */
export const onwardPage = (path: string, operations: readonly HeaderOperation[]): AgentAnswer => {
  // INVARIANT: a path begins with `/`, so what follows `url=` is never taken for a quoted URL.
  const url = escapeAttribute(path);
  const head = `<title>Signed in</title>\n<meta http-equiv="refresh" content="0;url=${url}">\n`;
  return pageAnswer(page(head, `<p>You are signed in. <a href="${url}">Go on</a></p>\n`), operations);
};

/** 403, with a link to the page where the browser can sign on anew. */
export const usedUpPage = (path: string): AgentAnswer => {
  const title = 'This sign-on was used before';
  const text = 'The answer of the identity provider counts once, and its session has ended.';
  const link = `<p><a href="${escapeAttribute(path)}">Sign in again</a></p>\n`;
  const body = `<h1>${escapeText(title)}</h1>\n<p>${escapeText(text)}</p>\n${link}`;
  return pageAnswer(page(`<title>${escapeText(title)}</title>\n`, body), [], 403);
};

const submitScript = 'document.forms[0].submit()';
/** Of the script above, as a policy names it. */
const submitScriptHash = 'sha256-ePniVEkSivX/c7XWBGafqh8tSpiRrKiqYeqbG7N1TOE=';

const hiddenField = ([name, value]: readonly [string, string]): string =>
  `<input type="hidden" name="${escapeAttribute(name)}" value="${escapeAttribute(value)}">\n`;

/**
 * A page that posts a form to the identity provider by itself, with a button for browsers that run no script. The
 * policy allows the one script by its hash, and forms to where the identity provider may redirect what is posted. The
 * provider sees our origin, which some want to, and not the page.
 */
export const postingPage = (
  location: string,
  fields: Readonly<Record<string, string>>,
  operations: readonly HeaderOperation[],
): AgentAnswer => {
  const targets = location.startsWith('https:') ? 'https:' : 'https: http:';
  const html = page(
    '<title>To your identity provider</title>\n',
    `<form method="post" action="${escapeAttribute(location)}">\n${Object.entries(fields).map(hiddenField).join('')}` +
      `<p>You are sent to your identity provider.</p>\n<button>Continue</button>\n</form>\n<script>${submitScript}</script>\n`,
  );
  const headers = headersOfPage(`form-action ${targets}; script-src '${submitScriptHash}'`, 'strict-origin');
  return answerOf({ kind: 'block', status: 200, body: html, headers }, operations);
};
