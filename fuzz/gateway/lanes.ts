import { OctetRecorder } from '../recorder/octet-recorder.js';
import { type GatewayUnderTest, startGatewayUnderTest } from './gateway-under-test.js';

/** A gateway and the upstream behind it, for one case at a time. */
export interface Lane {
  readonly gateway: GatewayUnderTest;
  readonly recorder: OctetRecorder;
}

const startLane = async (): Promise<Lane> => {
  const recorder = new OctetRecorder();
  const gateway = await startGatewayUnderTest(await recorder.listen());
  return { recorder, gateway };
};

/** So many lanes that waiting in one does not hold up the others. */
export class Lanes {
  readonly width: number;
  readonly #all: readonly Lane[];
  readonly #free: Lane[];

  private constructor(lanes: readonly Lane[]) {
    this.width = lanes.length;
    this.#all = lanes;
    this.#free = [...lanes];
  }

  static async start(width: number): Promise<Lanes> {
    return new Lanes(await Promise.all(Array.from({ length: width }, startLane)));
  }

  /** Runs a case in a lane of its own. INVARIANT: no more than `width` at once. */
  async use<Outcome>(work: (lane: Lane) => Promise<Outcome>): Promise<Outcome> {
    const lane = this.#free.pop();
    if (lane === undefined) throw new Error('there is no lane left');
    try {
      return await work(lane);
    } finally {
      lane.recorder.forget();
      this.#free.push(lane);
    }
  }

  async stop(): Promise<void> {
    for (const { gateway, recorder } of this.#all) {
      await recorder.close();
      await gateway.stop();
    }
  }
}
