/** Approximately how code hosts render Markdown. */
export const STYLE = `
  :root { color-scheme: light dark; }
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 1012px; margin: 0 auto; padding: 32px 24px; background: light-dark(#fff, #0d1117); color: light-dark(#1f2328, #e6edf3); }
  img { max-width: 100%; height: auto; } a { color: light-dark(#0969da, #4493f8); }
  pre { background: light-dark(#f6f8fa, #151b23); padding: 16px; overflow: auto; border-radius: 6px; }
  code { font: 85% ui-monospace, monospace; } table { border-collapse: collapse; display: block; overflow: auto; }
  td, th { border: 1px solid light-dark(#d1d9e0, #3d444d); padding: 6px 13px; } h1, h2 { border-bottom: 1px solid light-dark(#d1d9e0, #3d444d); padding-bottom: 0.3em; }`;
