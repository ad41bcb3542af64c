import { escapeAttribute, escapeText } from '../../../../domain/agent/xml/xml-characters.js';
import {
  type AgentAnswer,
  type AgentDecision,
  allowAnswer,
  type HeaderOperation,
} from '../../../../domain/agent-protocol/messages.js';
import { withNoStore } from '../../agent-service/refusal.js';

/** The answer after a sign-out: a redirect to the application, or a page of the agent. */
export const signedOutAnswer = (signedOutPath: string | null, cookies: readonly HeaderOperation[]): AgentAnswer =>
  signedOutPath === null
    ? noticePage('Signed out', 'You are signed out here. Close the browser to be safe.', cookies)
    : redirectAnswer(signedOutPath, cookies);

/** The answer to a browser that carried a LogoutRequest for other sessions and keeps its own. */
export const othersSignedOutAnswer = (): AgentAnswer =>
  noticePage(
    'Sessions ended',
    'The sessions that the identity provider named have ended. The session of this browser continues.',
    [],
  );

const answerOf = (decision: AgentDecision, operations: readonly HeaderOperation[]): AgentAnswer =>
  withNoStore({ ...allowAnswer, decision, responseHeaders: operations });

/** Redirects to a URL, or to a path and query of this host; the default status is 302. */
export const redirectAnswer = (
  url: string,
  operations: readonly HeaderOperation[],
  status: 302 | 303 = 302,
): AgentAnswer => answerOf({ kind: 'redirect', url, status }, operations);

/** 200 with a document that is not a page. */
export const documentAnswer = (contentType: string, body: string): AgentAnswer =>
  answerOf({ kind: 'block', status: 200, body, headers: ['Content-Type', contentType] }, []);

const headersOfPage = (policy: string, referrerPolicy: string): readonly string[] => [
  ...['Content-Type', 'text/html; charset=utf-8'],
  ...['Content-Security-Policy', `default-src 'none'; base-uri 'none'; frame-ancestors 'none'; ${policy}`],
  ...['X-Content-Type-Options', 'nosniff'],
  ...['Referrer-Policy', referrerPolicy],
];

const pageHeaders = headersOfPage("form-action 'none'", 'no-referrer');

/** A whole HTML page from markup. */
export const page = (head: string, body: string): string =>
  `<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n${head}</head>\n<body>\n${body}</body>\n</html>\n`;

/** Answers with a page that runs no script, loads nothing and posts no form. */
export const pageAnswer = (html: string, operations: readonly HeaderOperation[], status = 200): AgentAnswer =>
  answerOf({ kind: 'block', status, body: html, headers: pageHeaders }, operations);

/**
 * Answers with a page that posts a form to its own URL. It runs no script and loads nothing. The browser sends its
 * origin with the form, which `no-referrer` would hide.
 * @param targets the sources of form-action
 */
export const formPage = (html: string, targets: string): AgentAnswer =>
  answerOf(
    { kind: 'block', status: 200, body: html, headers: headersOfPage(`form-action ${targets}`, 'same-origin') },
    [],
  );

/** A page with one message. It runs no script and loads nothing. */
export const noticePage = (title: string, text: string, operations: readonly HeaderOperation[]): AgentAnswer => {
  const head = `<title>${escapeText(title)}</title>\n`;
  return pageAnswer(page(head, `<h1>${escapeText(title)}</h1>\n<p>${escapeText(text)}</p>\n`), operations);
};

/**
 * A page that redirects itself. The next request then comes from this site, so browsers send SameSite=Strict cookies
 * with it; after a cross-site redirect they would withhold them.
 */
export const onwardPage = (path: string, operations: readonly HeaderOperation[]): AgentAnswer => {
  // INVARIANT: it begins with `/` or `https:`, so the text after `url=` never looks like a quoted URL.
  const url = escapeAttribute(path);
  const head = `<title>Signed in</title>\n<meta http-equiv="refresh" content="0;url=${url}">\n`;
  return pageAnswer(page(head, `<p>You are signed in. <a href="${url}">Continue</a></p>\n`), operations);
};

/** 403, with a link to sign on again. */
export const usedUpPage = (path: string): AgentAnswer => {
  const title = 'This sign-on was already used';
  const text = 'The answer of the identity provider is valid once, and you have no active session.';
  const link = `<p><a href="${escapeAttribute(path)}">Sign in again</a></p>\n`;
  const body = `<h1>${escapeText(title)}</h1>\n<p>${escapeText(text)}</p>\n${link}`;
  return pageAnswer(page(`<title>${escapeText(title)}</title>\n`, body), [], 403);
};

/** 403 for an answer of the identity provider to a sign-on that is over, with a link to begin anew. */
export const overPage = (): AgentAnswer => {
  const title = 'This sign-on is over';
  const text =
    'It was answered before, or it took longer than five minutes. Go to the page that you want, and sign in again.';
  const body = `<h1>${escapeText(title)}</h1>\n<p>${escapeText(text)}</p>\n<p><a href="/">Begin again</a></p>\n`;
  return pageAnswer(page(`<title>${escapeText(title)}</title>\n`, body), [], 403);
};

const submitScript = 'document.forms[0].submit()';
/** The hash of the script above for the content security policy. */
const submitScriptHash = 'sha256-ePniVEkSivX/c7XWBGafqh8tSpiRrKiqYeqbG7N1TOE=';

const hiddenField = ([name, value]: readonly [string, string]): string =>
  `<input type="hidden" name="${escapeAttribute(name)}" value="${escapeAttribute(value)}">\n`;

/**
 * A page that posts a form to the identity provider automatically, with a button for browsers without scripts. The
 * policy allows only this script, by its hash. It allows forms to any host, because the identity provider may redirect.
 * The provider sees the origin of the page, which some require, but not its path.
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
      `<p>Continue to your identity provider to sign in or out.</p>\n<button>Continue</button>\n</form>\n<script>${submitScript}</script>\n`,
  );
  const headers = headersOfPage(`form-action ${targets}; script-src '${submitScriptHash}'`, 'strict-origin');
  return answerOf({ kind: 'block', status: 200, body: html, headers }, operations);
};
