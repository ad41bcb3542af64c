import { opensDialogue } from '../../../domain/agent-protocol/answer-rules.js';
import type { AgentFailureCode } from '../../../domain/agent-protocol/failure-rules.js';
import type { FlowControl } from '../../../domain/agent-protocol/flow-control.js';
import { faultOfAnswer } from '../../../domain/agent-protocol/lasting-answers.js';
import type { AgentAnswer, AgentEvent, CancelReason } from '../../../domain/agent-protocol/messages.js';
import type { Result } from '../../../domain/shared/result.js';
import type { AgentCallListener, AgentFailure, AgentOutcome } from '../../ports/gateway/agent-client.js';
import type { ConnectionEnd } from '../../ports/gateway/agent-connector.js';
import type { Permits } from '../../ports/gateway/permits.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { Scheduler } from '../../ports/shared/scheduler.js';
import { type AgentCall, ambiguousOutcome, failedOutcome } from './agent-call.js';
import { shortened } from './agent-lines.js';
import { CallBook } from './call-book.js';
import type { ConnectionPool } from './connection-pool.js';
import { askedSide, chunkSide, type Dialogue, Dialogues } from './dialogues.js';
import { EventRoutes } from './event-routes.js';
import { flowControlEffect } from './flow-control-effect.js';
import type { PooledAgentConnection } from './pooled-agent-connection.js';
import { WaitingCalls } from './waiting-calls.js';

interface CallRules {
  /** Timeout of a call, including its time in the queue; milliseconds. */
  readonly timeoutMs: number;
  /** Calls that may queue. */
  readonly maxQueueDepth: number;
  /** See `PooledAgentClientConfiguration`. */
  readonly queue?: Permits | null;
  readonly pool: ConnectionPool;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  /** The reason why no connection accepts calls; null: calls may queue for one. */
  readonly absence: () => AgentFailure | null;
  /** Called when no call and no dialogue is left. */
  readonly onIdle: () => void;
}

/** Sends calls on the connections of one agent, and matches each answer with its call. */
export class CallTraffic {
  readonly #rules: CallRules;
  readonly #pool: ConnectionPool;
  readonly #calls: CallBook;
  readonly #waiting: WaitingCalls;
  readonly #dialogues = new Dialogues();
  readonly #routes: EventRoutes;
  #isClosing = false;

  constructor(rules: CallRules) {
    const { timeoutMs, maxQueueDepth, queue, pool, clock, scheduler } = rules;
    this.#rules = rules;
    this.#pool = pool;
    this.#routes = new EventRoutes(pool);
    this.#waiting = new WaitingCalls(maxQueueDepth, queue ?? null, (call) => {
      this.#calls.settle(call, this.#waiting.refusal);
      this.#checkIdle();
    });
    this.#calls = new CallBook(timeoutMs, clock, scheduler, (call) => {
      call.connection?.noteTimeOut();
      this.#abandon(call, 'timeout', failedOutcome('timed_out', `no answer within ${timeoutMs} ms`));
    });
  }

  /** Queued calls. */
  get queueDepth(): number {
    return this.#waiting.size;
  }

  get isIdle(): boolean {
    return this.#calls.size === 0 && this.#dialogues.size === 0;
  }

  /** Makes a call. Returns its outcome if it fails at once; null: the listener gets the outcome. */
  ask(event: AgentEvent, listener: AgentCallListener): AgentOutcome | null {
    const { correlationId } = event;
    const side = chunkSide(event);
    const open = this.#dialogues.get(correlationId);
    const dialogue = side !== null && open?.side === side ? open : null;
    if (side !== null && dialogue === null) {
      return failedOutcome('disconnected', 'the connection that carried the headers has ended');
    }
    if (this.#isClosing && side === null) return failedOutcome('unreachable', 'the client is closing');
    if (this.#calls.get(correlationId) !== undefined || (open !== null && side === null)) {
      return failedOutcome('unreachable', 'another call for this request is open');
    }
    const best = dialogue === null ? this.#pool.choose() : null;
    const connection = dialogue?.connection ?? this.#routes.choose(event, best);
    if (connection === null && best !== null) return ambiguousOutcome;
    const absence = connection === null ? this.#rules.absence() : null;
    if (absence !== null) return failedOutcome(absence.code, absence.detail);
    const free = connection !== null && this.#isFree(connection, dialogue) ? connection : null;
    const place = free === null ? this.#waiting.take() : 'taken';
    if (place === 'full') return this.#waiting.refusal;
    const call = this.#calls.open(event, dialogue, listener);
    if (free === null) this.#waiting.add(call, place);
    else this.#send(call, free);
    call.isMade = true;
    return null;
  }

  cancel(correlationId: string, reason: CancelReason): void {
    const call = this.#calls.get(correlationId);
    if (call !== undefined) this.#abandon(call, reason, failedOutcome('cancelled', reason));
    else this.#closeDialogue(correlationId, reason);
    this.#checkIdle();
  }

  conclude(correlationId: string): void {
    if (this.#calls.get(correlationId) === undefined) this.#closeDialogue(correlationId, 'manual');
    const home = this.#routes.conclude(correlationId);
    if (home !== null) this.closeIfDone(home);
  }

  /** Accepts no new calls from now on, except chunks of open dialogues. */
  close(): void {
    this.#isClosing = true;
  }

  /** Cancels all open calls and dialogues. */
  end(): void {
    for (const call of this.#calls.all()) {
      this.#abandon(call, 'proxy_shutdown', failedOutcome('cancelled', 'the client is closing'));
    }
    for (const correlationId of this.#dialogues.ids()) this.#closeDialogue(correlationId, 'proxy_shutdown');
    this.#calls.close();
    this.#waiting.close();
  }

  onAnswer(connection: PooledAgentConnection, correlationId: string, answer: Result<AgentAnswer, string>): void {
    const call = this.#calls.get(correlationId);
    if (call === undefined || call.connection !== connection) {
      this.#routes.answeredLate(correlationId, connection);
      return;
    }
    this.#pool.release(connection);
    const problem = answer.ok ? faultOfAnswer(answer.value, call.event) : answer.error;
    if (!answer.ok || problem !== null) {
      this.#calls.settle(call, failedOutcome('malformed_answer', shortened(problem ?? '')));
      const isAsked = answer.ok && opensDialogue(answer.value);
      // No chunk follows, so the agent can release its state for the request.
      if (this.#dialogues.close(correlationId) !== null || isAsked) connection.sendCancel(correlationId, 'manual');
    } else {
      this.#updateDialogue(call, connection, answer.value);
      this.#routes.answered(call.event, connection);
      this.#calls.remove(call);
    }
    this.#afterCall(connection);
    if (answer.ok && problem === null) call.report(answer);
  }

  onFlowControl(connection: PooledAgentConnection, signal: FlowControl): void {
    const pace = flowControlEffect(signal);
    if (pace === null) return;
    const isPause = pace === 'pause';
    if (signal.correlationId === null) connection.isPaused = isPause;
    else this.#holdChunks(signal.correlationId, connection, isPause);
    if (!isPause) this.pump();
  }

  /** Fails the calls of a connection that has ended. The pool has already removed it. */
  onEnd(connection: PooledAgentConnection, end: ConnectionEnd): void {
    this.#dialogues.ended(connection);
    this.#routes.ended(connection);
    for (const call of this.#calls.callsOf(connection)) {
      this.#waiting.delete(call);
      // The unreadable message may have been the answer to any call on this connection.
      const isAnswered = end.kind === 'malformed' && call.connection === connection;
      this.#calls.settle(call, failedOutcome(isAnswered ? 'malformed_answer' : 'disconnected', end.detail));
    }
    // Its calls counted against the agent's capacity.
    this.pump();
    this.#checkIdle();
  }

  /** Sends queued calls while connections have capacity. */
  pump(): void {
    if (this.#waiting.size === 0) return;
    let free = this.#pool.choose();
    for (const call of this.#waiting) {
      if (!this.#pool.hasPlace) return;
      const connection = call.dialogue?.connection ?? this.#routes.choose(call.event, free);
      if (connection === null || !this.#isFree(connection, call.dialogue)) continue;
      this.#waiting.delete(call);
      this.#send(call, connection);
      free = this.#pool.choose();
    }
  }

  /** Fails the queued calls that no connection will accept. */
  failWaiting({ code, detail }: AgentFailure): void {
    for (const call of this.#waiting) {
      if (call.dialogue !== null || this.#routes.choose(call.event, null) !== null) continue;
      this.#waiting.delete(call);
      this.#calls.settle(call, failedOutcome(code, detail));
    }
    this.closeDone();
    this.#checkIdle();
  }

  /** Closes an idle connection that gets no new calls, unless later events of requests need it. */
  closeIfDone(connection: PooledAgentConnection): void {
    const isDraining = connection.state === 'draining';
    if (!connection.isReady || !connection.isIdle || !(isDraining || connection.isLeaving)) return;
    if (this.#isKept(connection)) return;
    connection.close(isDraining ? 'the agent has drained' : 'it is replaced to deliver the configuration in force');
  }

  /** Closes every connection that is done, because other connections may now carry its later events. */
  closeDone(): void {
    for (const connection of this.#pool.ready()) this.closeIfDone(connection);
  }

  /** Whether open requests or queued events need a draining connection. */
  #isKept(connection: PooledAgentConnection): boolean {
    if (!connection.takesRest) return false;
    return connection.followed > 0 || (this.#waiting.size > 0 && this.#pool.choose() === null);
  }

  #isFree(connection: PooledAgentConnection, dialogue: Dialogue | null): boolean {
    return this.#pool.hasPlace && connection.hasRoom && dialogue?.isPaused !== true;
  }

  #send(call: AgentCall, connection: PooledAgentConnection): void {
    const { correlationId, kind } = call.event;
    // The connection, and therefore its events, were unknown when the call was made.
    if (!connection.supports(kind)) {
      this.#fail(call, 'unsupported_event', `the agent does not support ${kind}`);
      return;
    }
    // Before sending, because sending may end the connection.
    call.connection = connection;
    this.#pool.occupy(connection);
    if (connection.sendEvent(call.event) || this.#calls.get(correlationId) !== call) return;
    this.#pool.release(connection);
    this.#fail(call, 'unreachable', 'the event exceeds the message size');
  }

  /** Ends a call that cannot be sent. */
  #fail(call: AgentCall, code: AgentFailureCode, detail: string): void {
    this.#calls.settle(call, failedOutcome(code, detail));
    this.#closeDialogue(call.event.correlationId, 'manual');
    this.#checkIdle();
  }

  /** Opens, continues or closes the dialogue of a call after an answer. */
  #updateDialogue(call: AgentCall, connection: PooledAgentConnection, answer: AgentAnswer): void {
    const { correlationId } = call.event;
    const side = askedSide(call.event);
    if (side === null || !opensDialogue(answer)) this.#dialogues.close(correlationId);
    else if (call.dialogue === null) {
      this.#dialogues.open(correlationId, { connection, side, isPaused: call.holdsChunks });
    }
  }

  /** Pauses or resumes the chunks of a request. The pause can arrive before the answer that asks for the body. */
  #holdChunks(correlationId: string, connection: PooledAgentConnection, isHeld: boolean): void {
    const dialogue = this.#dialogues.get(correlationId);
    if (dialogue?.connection === connection) dialogue.isPaused = isHeld;
    if (dialogue !== null) return;
    const call = this.#calls.get(correlationId);
    if (call?.connection === connection) call.holdsChunks = isHeld;
  }

  /** Ends a call early, and cancels it at the agent if it was sent. */
  #abandon(call: AgentCall, reason: CancelReason, outcome: AgentOutcome): void {
    const { connection, event } = call;
    const { correlationId } = event;
    this.#waiting.delete(call);
    this.#calls.settle(call, outcome);
    if (connection === null) {
      this.#closeDialogue(correlationId, reason);
      this.closeDone();
      this.#checkIdle();
      return;
    }
    this.#dialogues.close(correlationId);
    this.#pool.release(connection);
    const excess = this.#routes.abandoned(event, connection);
    connection.sendCancel(correlationId, reason);
    excess?.close('too many calls on it were abandoned');
    this.#afterCall(connection);
  }

  /** Closes a dialogue, and tells the agent that no more chunks follow. */
  #closeDialogue(correlationId: string, reason: CancelReason): void {
    const dialogue = this.#dialogues.close(correlationId);
    if (dialogue === null) return;
    dialogue.connection.sendCancel(correlationId, reason);
    this.closeIfDone(dialogue.connection);
  }

  #afterCall(connection: PooledAgentConnection): void {
    this.pump();
    this.closeIfDone(connection);
    this.#checkIdle();
  }

  #checkIdle(): void {
    if (this.isIdle) this.#rules.onIdle();
  }
}
