import { createHash } from "node:crypto";
import type { Clock } from "../../panos/clock.js";
import type { Identifiers } from "../world/identifiers.js";
import { seconds } from "../world/time.js";

/** An image as the image service shows it, but its paths. Sizes in bytes, `min_ram` in MB, `min_disk` in GB. */
export interface Image {
  readonly id: string;
  readonly name: string;
  readonly disk_format: string;
  readonly container_format: string;
  readonly visibility: "public" | "private";
  readonly size: number;
  readonly virtual_size: number;
  readonly status: "active" | "queued" | "deactivated";
  readonly checksum: string;
  readonly protected: boolean;
  readonly min_ram: number;
  readonly min_disk: number;
  readonly owner: string;
  readonly os_hidden: boolean;
  readonly os_hash_algo: "sha512";
  readonly os_hash_value: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly tags: readonly string[];
  readonly hw_architecture?: string;
}

/** Images, for those who may see them. */
export class ImageStore {
  readonly #images = new Map<string, Image>();
  readonly #clock: Clock;
  readonly #identifiers: Identifiers;

  constructor(clock: Clock, identifiers: Identifiers) {
    this.#clock = clock;
    this.#identifiers = identifiers;
  }

  add(name: string, owner: string, more: Partial<Image> = {}): Image {
    const now = seconds(this.#clock.now());
    const image: Image = {
      name,
      disk_format: "raw",
      container_format: "bare",
      visibility: "public",
      size: 1280,
      virtual_size: 1280,
      status: "active",
      checksum: createHash("md5").update(name).digest("hex"),
      protected: false,
      min_ram: 0,
      min_disk: 0,
      owner,
      os_hidden: false,
      os_hash_algo: "sha512",
      os_hash_value: createHash("sha512").update(name).digest("hex"),
      id: this.#identifiers.uuid(),
      created_at: now,
      updated_at: now,
      tags: [],
      ...more,
    };
    this.#images.set(image.id, image);
    return image;
  }

  remove(id: string): void {
    this.#images.delete(id);
  }

  /** Newest first, as the service lists them. */
  visible(projectId: string | undefined, admin: boolean): Image[] {
    return [...this.#images.values()].filter((image) => admin || image.visibility === "public" || image.owner === projectId).reverse();
  }

  get(id: string, projectId: string | undefined, admin: boolean): Image | undefined {
    const image = this.#images.get(id);
    return image !== undefined && (admin || image.visibility === "public" || image.owner === projectId) ? image : undefined;
  }
}
