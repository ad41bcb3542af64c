import {
  type AgentAnswer,
  type AgentDecision,
  allowAnswer,
  type HeaderOperation,
} from '../../domain/agent-protocol/messages.js';
import { escapeAttribute, escapeText } from '../../domain/xml/escape-xml.js';
import { withNoStore } from '../agent-service/no-store.js';

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

const pageHeaders = [
  ['Content-Type', 'text/html; charset=utf-8'],
  ['Content-Security-Policy', "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"],
  ['X-Content-Type-Options', 'nosniff'],
  ['Referrer-Policy', 'no-referrer'],
].flat();

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
