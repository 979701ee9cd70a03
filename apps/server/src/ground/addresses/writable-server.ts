export interface Place {
  host: string;
  port: number;
}

/**
 * Finds the one server of a database that takes writes, and keeps it until a connection to it fails. If
 * several take writes, because an old primary came back, the server that was promoted last counts.
 */
export class WritableServer {
  readonly #places: readonly Place[];
  readonly #timelineOf: (place: Place) => Promise<number>;
  #known: Place | null = null;
  #search: Promise<Place> | null = null;

  /**
   * @param timelineOf gives the timeline of a server; each promotion begins a new one. It rejects if the
   * server is away or takes no writes.
   */
  constructor(places: readonly Place[], timelineOf: (place: Place) => Promise<number>) {
    this.#places = places;
    this.#timelineOf = timelineOf;
  }

  /**
   * Callers at the same time share one search.
   * @throws AggregateError with the error of each server, when none takes writes
   */
  async find(): Promise<Place> {
    if (this.#known !== null) return this.#known;
    this.#search ??= this.#ask().finally(() => {
      this.#search = null;
    });
    return this.#search;
  }

  forget(place: Place): void {
    if (this.#known === place) this.#known = null;
  }

  async #ask(): Promise<Place> {
    const answers = await Promise.allSettled(this.#places.map((place) => this.#timelineOf(place)));
    let best: { place: Place; timeline: number } | null = null;
    const faults: Error[] = [];
    for (const [i, answer] of answers.entries()) {
      if (answer.status === 'rejected') faults.push(answer.reason as Error);
      else if (best === null || answer.value > best.timeline)
        best = { place: this.#places[i], timeline: answer.value };
    }
    if (best === null) {
      const said = this.#places.map(({ host, port }, i) => `${host}:${port}: ${faults[i].message}`);
      throw new AggregateError(faults, `no server of the database takes writes (${said.join('; ')})`);
    }
    this.#known = best.place;
    return best.place;
  }
}
