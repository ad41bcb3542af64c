import type { AgentAnswer, HeaderOperation } from '../../../../domain/agent-protocol/messages.js';
import { noticePage, redirectAnswer } from './sign-on-answers.js';

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
