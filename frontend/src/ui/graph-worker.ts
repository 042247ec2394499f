import { arrange, type LayoutRequest } from "./graph-layout";

/** Layouts take long, so they are computed beside the page. */
addEventListener("message", ({ data }: MessageEvent<LayoutRequest>) => {
  postMessage({ number: data.number, places: arrange(data) });
});
