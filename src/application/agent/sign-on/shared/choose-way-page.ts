import { escapeAttribute, escapeText } from '../../../../domain/agent/xml/xml-characters.js';
import type { AgentAnswer } from '../../../../domain/agent-protocol/messages.js';
import { utf8Length } from '../../../../domain/shared/utf8.js';
import { page, pageAnswer } from './sign-on-answers.js';
import type { SignOnWay } from './sign-on-way.js';

/** The page stays below this number of octets, whatever the return target. */
const maximumPageOctets = 8 * 1024;

/** The URL that begins a sign-on, or leads to the page to choose if `name` is null. */
export const loginUrl = (loginPath: string, name: string | null, returnTo: string): string => {
  const way = name === null ? '' : `provider=${encodeURIComponent(name)}&`;
  return `${loginPath}?${way}return_to=${encodeURIComponent(returnTo)}`;
};

const linkTo = ({ name, label }: SignOnWay, loginPath: string, returnTo: string): string =>
  `<li><a href="${escapeAttribute(loginUrl(loginPath, name, returnTo))}">${escapeText(label)}</a></li>\n`;

const htmlOf = (ways: readonly SignOnWay[], loginPath: string, returnTo: string): string => {
  const links = ways.map((way) => linkTo(way, loginPath, returnTo)).join('');
  return page('<title>Sign in</title>\n', `<h1>Sign in</h1>\n<p>Choose how to sign in.</p>\n<ul>\n${links}</ul>\n`);
};

/**
 * The page with a link for each way to sign on. It runs no script and loads nothing. A return target too long for the
 * page loses its query, and then its path.
 */
export const chooseWayPage = (ways: readonly SignOnWay[], loginPath: string, returnTo: string): AgentAnswer => {
  const mark = returnTo.indexOf('?');
  const targets = mark < 0 ? [returnTo] : [returnTo, returnTo.slice(0, mark)];
  const pages = targets.map((target) => htmlOf(ways, loginPath, target));
  const fits = pages.find((html) => utf8Length(html) <= maximumPageOctets);
  return pageAnswer(fits ?? htmlOf(ways, loginPath, '/'), []);
};
