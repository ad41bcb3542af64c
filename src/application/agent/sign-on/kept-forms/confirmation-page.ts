import {
  choiceField,
  choiceValue,
  type FormChoice,
  type KeptFormContent,
} from '../../../../domain/agent/sign-on/kept-form.js';
import { escapeAttribute, escapeText } from '../../../../domain/agent/xml/xml-characters.js';
import type { AgentAnswer, HeaderOperation } from '../../../../domain/agent-protocol/messages.js';
import { formPage, page, pageAnswer } from '../shared/sign-on-answers.js';

/** Maximum characters of a path on the page, which stays below 8 KiB. */
const shownPath = 512;

const shortened = (path: string): string => (path.length > shownPath ? `${path.slice(0, shownPath)}…` : path);

/** A query may hold data of the user. */
const withoutQuery = (target: string): string => target.split('?', 1)[0] ?? '/';

const button = (choice: FormChoice, token: string, label: string): string =>
  `<p><button name="${choiceField}" value="${escapeAttribute(choiceValue(choice, token))}">${label}</button></p>\n`;

/**
 * The page that asks whether to send a kept form again. It shows where the form goes, and nothing of the form. It has
 * no action: the choice goes to the URL of the page, which is the target of the form.
 */
export const confirmationPage = ({ origin, target }: KeptFormContent, token: string): AgentAnswer => {
  const host = origin.slice(origin.indexOf('://') + '://'.length);
  const where =
    `<dl>\n<dt>Host</dt>\n<dd>${escapeText(host)}</dd>\n` +
    `<dt>Path</dt>\n<dd>${escapeText(shortened(withoutQuery(target)))}</dd>\n<dt>Method</dt>\n<dd>POST</dd>\n</dl>\n`;
  const buttons = button('send', token, 'Send again') + button('drop', token, 'Go on without sending');
  const html = page(
    '<title>Send the form again?</title>\n',
    '<h1>Send the form again?</h1>\n' +
      '<p>You posted a form after your session had ended. The form was kept and has not been sent.</p>\n' +
      `${where}<form method="post">\n${buttons}</form>\n`,
  );
  // The target may redirect to another site, and browsers apply form-action to redirects too.
  return formPage(html, origin.startsWith('https:') ? 'https:' : 'https: http:');
};

/** 403 for a choice about a form that the agent no longer keeps. */
export const formGonePage = (operations: readonly HeaderOperation[]): AgentAnswer => {
  const title = 'The form is not kept any more';
  const text = 'It was already sent, or more than ten minutes have passed. Go to the page with the form.';
  const body = `<h1>${escapeText(title)}</h1>\n<p>${escapeText(text)}</p>\n<p><a href="/">Go on</a></p>\n`;
  return pageAnswer(page(`<title>${escapeText(title)}</title>\n`, body), operations, 403);
};
