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

/** 302 to a URL, or to a path and query of ours. */
export const redirectAnswer = (url: string, operations: readonly HeaderOperation[]): AgentAnswer =>
  answerOf({ kind: 'redirect', url, status: 302 }, operations);

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

const pageAnswer = (html: string, operations: readonly HeaderOperation[]): AgentAnswer =>
  answerOf({ kind: 'block', status: 200, body: html, headers: pageHeaders }, operations);

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
