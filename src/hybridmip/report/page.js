
"use strict";
(() => {
  const root = document.documentElement;
  const prefersDark = matchMedia("(prefers-color-scheme: dark)");
  let chosenTheme = null; // lives as long as the page
  const theme = () => chosenTheme ?? (prefersDark.matches ? "dark" : "light");
  const applyTheme = () => {
    root.dataset.theme = theme();
    const button = document.getElementById("theme");
    if (button) button.textContent = theme() === "dark" ? "Light mode" : "Dark mode";
  };
  applyTheme(); // before the first paint
  prefersDark.addEventListener("change", applyTheme);

  const SVG = "http://www.w3.org/2000/svg";
  const LETTERS = ["A", "B"];
  const AREAS = 12; // coloured assets; the others share one grey
  const ROW = 32; // pixels of a table row, border included
  const ALL_ROWS = 200; // up to this many, the table holds every row
  const PRINTED_ROWS = 400;

  // ---------------------------------------------------------------- elements

  const byId = (id) => document.getElementById(id);

  // Text is only ever set as text: names cannot become markup.
  const fill = (node, attributes, children) => {
    for (const [key, value] of Object.entries(attributes ?? {})) {
      if (value === null || value === undefined || value === false) continue;
      if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
      else if (key === "css") for (const [name, rule] of Object.entries(value)) node.style.setProperty(name, rule);
      else node.setAttribute(key, value === true ? "" : value);
    }
    for (const child of children) if (child !== null && child !== undefined) node.append(child);
    return node;
  };
  const h = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
  const s = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

  // ---------------------------------------------------------------- numbers as text

  const NBSP = "\u00a0";
  const MINUS = "\u2212";
  const signed = (text) => (/^-[0.]*$/.test(text) ? text.slice(1) : text.replace("-", MINUS));
  const raised = (sign) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(sign)];
  const power = (exponent) => "10" + Array.from(String(exponent), raised).join("");
  const percent = (value, decimals) => signed((100 * value).toFixed(decimals)) + NBSP + "%";
  const trimmed = (text) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);
  const plain = (value) => {
    const size = Math.abs(value);
    if (size === 0 || (Number.isInteger(value) && size < 1e9)) return signed(String(value));
    if (size >= 1e-3 && size < 1e7) return signed(trimmed(value.toPrecision(6)));
    const [mantissa, exponent] = value.toExponential(4).split("e");
    return signed(mantissa) + "×" + power(Number(exponent));
  };
  // Two significant digits, never below the value: a proven gap is not rounded down.
  const roundUp = (value) => {
    const exponent = Math.floor(Math.log10(value)) - 1;
    return (Math.ceil((value / 10 ** exponent) * (1 - 1e-12)) * 10 ** exponent).toFixed(Math.max(0, -exponent));
  };
  // The middle of a long name goes: what tells two funds apart is often at the end.
  const shorten = (name, length) => {
    const letters = Array.from(name);
    if (letters.length <= length) return name;
    const tail = Math.floor(length * 0.4);
    return letters.slice(0, length - tail - 1).join("") + "…" + letters.slice(-tail).join("");
  };
  const secondsText = (value) => (value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 2)) + NBSP + "s";
  // Decimals that tell the percents of these values apart.
  const decimalsOf = (values) => {
    const spread = 100 * (Math.max(...values) - Math.min(...values));
    const rounding = 1e-7 * Math.max(...values.map(Math.abs));
    const scale = spread > rounding ? spread : 100 * Math.abs(values[0] ?? 0.01) || 1;
    return Math.min(7, Math.max(2, 3 - Math.floor(Math.log10(scale))));
  };

  // Round numbers of a logarithmic axis: as many as fit, from 1 to 9 of every power down to powers far apart.
  const logTicks = (low, high, fits) => {
    const [first, last] = [Math.floor(low + 1e-9), Math.ceil(high - 1e-9)];
    const within = (values) => values.filter((value) => {
      const at = Math.log10(value);
      return at >= low - 1e-9 && at <= high + 1e-9;
    });
    const range = (step) => Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, k) => first + k * step);
    for (const digits of [[1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 2, 5], [1, 3], [1]]) {
      const values = within(range(1).flatMap((k) => digits.map((digit) => Number(`${digit}e${k}`))));
      if (values.length > 1 && fits(values)) return values;
    }
    for (let step = 2; step <= last - first; step++) {
      const values = within(range(step).map((k) => Number(`1e${k}`)));
      if (fits(values)) return values;
    }
    return [];
  };
  const ticksOf = (low, high, count, whole) => {
    const raw = Math.max((high - low) / Math.max(1, count), whole ? 1 : 0);
    const unit = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].find((factor) => factor * unit >= raw * (1 - 1e-9)) * unit;
    const values = [];
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) values.push(k * step);
    return { values, step };
  };
  const tickDecimals = (step) => {
    for (let decimals = 0; decimals < 12; decimals++) {
      const scaled = step * 10 ** decimals;
      if (Math.abs(scaled - Math.round(scaled)) < 1e-6 * scaled) return decimals;
    }
    return 12;
  };

  // ---------------------------------------------------------------- the document

  const read = () => {
    const data = JSON.parse(byId("document").textContent);
    const columns = data.columns;
    const points = columns.point.map((name, i) => {
      const point = { i, weights: new Map() };
      for (const [key, values] of Object.entries(columns)) point[key] = values[i];
      const [steps, values] = data.weights[i];
      let index = 0;
      steps.forEach((step, k) => {
        index += step;
        point.weights.set(index, data.unit === 1 ? values[k] : Number((values[k] * data.unit).toPrecision(7)));
      });
      point.held = point.status === "optimal" || point.status === "feasible";
      return point;
    });
    return { ...data, points };
  };

  const start = () => {
    const data = read();
    const { points, held: names } = data;
    const curve = data.chart === "risk_return"; // otherwise risk or objective against the parameter
    const ofPortfolios = data.chart !== "objective";
    const order = points.map((p) => p.i).sort((a, b) => points[a].parameter - points[b].parameter || a - b);
    const rank = new Array(points.length);
    order.forEach((i, k) => { rank[i] = k; });
    const finite = (values) => values.filter((value) => value !== null && value !== undefined);
    const column = (key) => finite(points.map((p) => p[key]));

    // Which axis of a risk and return chart the parameter belongs to, if any.
    const label = data.parameter_label;
    const ofRisk = /risk|deviation|volatil/i.test(label);
    const parameterAxis = !curve ? "x" : /return/i.test(label) ? "y" : ofRisk ? "x" : null;
    const parameterPercent = ofRisk || /return|weight|share/i.test(label);
    const parameterDecimals = decimalsOf(column("parameter"));
    const returnDecimals = decimalsOf(column("expected_return"));
    const riskDecimals = decimalsOf(column("risk"));
    let largest = 0;
    for (const p of points) for (const w of p.weights.values()) largest = Math.max(largest, Math.abs(w));
    const weightPercent = ofPortfolios || largest <= 1 + 1e-6;

    const dash = "–";
    const gapText = (gap) => (gap === null ? dash : gap <= 1e-6 ? "0" + NBSP + "%" : roundUp(100 * gap) + NBSP + "%");
    const show = {
      parameter: (p) => {
        if (p.parameter === null) return dash;
        return parameterPercent ? percent(p.parameter, parameterDecimals) : plain(p.parameter);
      },
      expected_return: (p) => (p.expected_return === null ? dash : percent(p.expected_return, returnDecimals)),
      risk: (p) => (p.risk === null ? dash : percent(p.risk, riskDecimals)),
      objective: (p) => (p.objective === null ? dash : plain(p.objective)),
      bound: (p) => (p.bound === null ? dash : plain(p.bound)),
      gap: (p) => gapText(p.gap),
      risk_gap: (p) => gapText(p.risk_gap),
      sharpe_ratio: (p) => (p.sharpe_ratio === null ? dash : plain(Number(p.sharpe_ratio.toPrecision(3)))),
      found_by: (p) => (p.held ? p.found_by : dash),
      assets: (p) => (p.held ? String(p.assets) : dash),
      seconds: (p) => (p.seconds === null ? dash : secondsText(p.seconds)),
    };
    const weightText = (w) => {
      if (!weightPercent) return plain(w);
      if (w !== 0 && Math.abs(w) < 5e-5) return (w < 0 ? "> " + MINUS : "< ") + "0.01" + NBSP + "%";
      return percent(w, 2);
    };
    const changeText = (w) => {
      const text = weightText(w);
      return w > 0 && !text.startsWith("<") ? "+" + text : text;
    };
    const statusWords = {
      optimal: "optimal",
      feasible: "feasible, not proven optimal",
      infeasible: "infeasible (proven)",
      unknown: "no answer found",
    };
    const statusShort = { optimal: "optimal", feasible: "feasible", infeasible: "infeasible", unknown: "no answer" };
    const pointName = (p) => `Point ${p.point}`;

    // ---------------------------------------------------------------- state

    const feasible = order.filter((i) => points[i].held);
    let current = feasible.length ? feasible[Math.floor(feasible.length / 2)] : order.length ? order[0] : -1;
    let pins = [];

    const announce = (text) => { byId("live").textContent = text; };

    const setCurrent = (i, source) => {
      if (i < 0 || i === current) return;
      current = i;
      refresh(source);
    };
    const togglePin = (i, source) => {
      if (i < 0) return;
      if (pins.includes(i)) {
        pins = pins.filter((k) => k !== i);
        announce(`${pointName(points[i])} unpinned`);
      } else {
        pins = pins.length < 2 ? [...pins, i] : [pins[0], i];
        announce(`${pointName(points[i])} pinned as ${LETTERS[pins.indexOf(i)]}`);
      }
      current = i;
      refresh(source);
    };
    const unpinAll = () => {
      if (!pins.length) return;
      pins = [];
      announce("All points unpinned");
      refresh("unpin");
    };
    let following = 0;
    const refresh = (source) => {
      renderMarks();
      renderPanel();
      if (source === "keys" || source === "table") renderRows(source === "keys");
      else {
        markRows();
        clearTimeout(following);
        following = setTimeout(() => renderRows(true), 90); // the table follows when the pointer rests
      }
    };

    // ---------------------------------------------------------------- symbols, in the chart, legend and table

    const glyph = {
      optimal: (x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`,
      feasible: (x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`,
      infeasible: (x, y, r) => `M${x - r} ${y - r}l${2 * r} ${2 * r}M${x - r} ${y + r}l${2 * r} ${-2 * r}`,
      unknown: (x, y, r) => `M${x - r} ${y + r}h${2 * r}l${-r} ${-2 * r}z`,
    };
    const star = (x, y, r) => {
      const corners = Array.from({ length: 10 }, (_, k) => {
        const [angle, reach] = [(k * Math.PI) / 5, k % 2 ? 0.42 * r : r];
        return [x + reach * Math.sin(angle), y - reach * Math.cos(angle)];
      });
      return pathOf(corners) + "z";
    };
    const symbol = (status) =>
      s("svg", { width: 14, height: 14, viewBox: "0 0 14 14", "aria-hidden": "true" },
        s("path", { class: status, d: glyph[status](7, 7, 4) }));

    const legendOf = () => {
      const has = (status) => points.some((p) => p.status === status);
      const sample = (mark) => s("svg", { width: 26, height: 14, viewBox: "0 0 26 14", "aria-hidden": "true" }, mark);
      const items = [];
      if (data.unconstrained && curve) {
        items.push([sample(s("path", { class: "free", d: "M0 7h26" })), data.legend.free]);
      }
      if (has("optimal")) items.push([symbol("optimal"), data.legend.optimal]);
      if (has("feasible")) items.push([symbol("feasible"), data.legend.feasible]);
      if (points.some((p) => p.held && valueOf.bound(p) !== null)) {
        const band = s("rect", { class: "band", y: 2, width: 26, height: 10, rx: 2 });
        items.push([sample(band), data.legend.band]);
      }
      const small = (mark) => s("svg", { width: 14, height: 14, viewBox: "0 0 14 14", "aria-hidden": "true" }, mark);
      if (data.sharpe) items.push([small(s("path", { class: "sharpe", d: star(7, 7, 6) })), data.sharpe.label]);
      if (singles.risk.length) items.push([small(s("circle", { class: "single", cx: 7, cy: 7, r: 2 })), data.legend.single]);
      if (has("infeasible")) items.push([symbol("infeasible"), data.legend.infeasible]);
      if (has("unknown")) items.push([symbol("unknown"), "no answer found"]);
      const list = items.map(([mark, text]) => h("li", null, mark, h("span", null, text)));
      byId("frontier-legend").replaceChildren(...list);
    };

    // ---------------------------------------------------------------- axes

    const scaleOf = (values, pad, whole, log) => {
      if (!values.length) return null;
      if (log) {
        const scale = scaleOf(values.map(Math.log10), 0, false);
        const extra = scale.single ? 0 : pad * (scale.high - scale.low);
        return { ...scale, low: scale.low - extra, high: scale.high + extra, log: true };
      }
      let low = Math.min(...values);
      let high = Math.max(...values);
      if (high - low <= 1e-12 * Math.max(Math.abs(low), Math.abs(high))) {
        const half = whole ? 1 : Math.abs(low) * 0.1 || 1;
        return { low: low - half, high: high + half, single: true };
      }
      const extra = pad * (high - low);
      return { low: low - (low >= 0 && low - extra < 0 ? low : extra), high: high + extra };
    };
    const tickText = (scale, ticks, asPercent) => {
      if (asPercent) {
        const decimals = tickDecimals(100 * ticks.step);
        return { text: (value) => percent(value, decimals), unit: "" };
      }
      const size = Math.max(Math.abs(scale.low), Math.abs(scale.high));
      const exponent = size > 0 && (size < 1e-2 || size >= 1e6) ? Math.floor(Math.log10(size)) : 0;
      const decimals = tickDecimals(ticks.step / 10 ** exponent);
      return {
        text: (value) => signed((value / 10 ** exponent).toFixed(decimals)),
        unit: exponent ? ` (×${NBSP}${power(exponent)})` : "",
      };
    };
    // Draws grid, ticks and frame; gives back the two maps from values to pixels.
    const frame = (svg, width, height, X, Y, options) => {
      const top = options.top;
      const bottom = height - 26;
      const yTicks = Y ? ticksOf(Y.low, Y.high, Math.max(2, Math.floor((bottom - top) / 44))) : { values: [], step: 1 };
      const yText = Y ? tickText(Y, yTicks, options.yPercent) : { text: String, unit: "" };
      const yLabels = yTicks.values.map(yText.text);
      const left = Math.ceil(10 + 6.9 * Math.max(3, ...yLabels.map((text) => text.length)));
      const right = width - 18;
      let xTicks = { values: [], step: 1 };
      let xText = { text: String, unit: "" };
      if (X?.log) {
        xText = { text: options.xPercent ? (value) => percent(value, 2) : plain, unit: "" };
        const place = (value) => ((Math.log10(value) - X.low) / (X.high - X.low)) * (right - left);
        const fits = (values) => values.every((value, k) => !k || place(value) - place(values[k - 1]) >= 8
          + 3.45 * (xText.text(value).length + xText.text(values[k - 1]).length));
        xTicks = { values: logTicks(X.low, X.high, fits), step: 1 };
      }
      for (let count = Math.floor((right - left) / 64); X && !X.log && count > 0; count--) {
        xTicks = ticksOf(X.low, X.high, count, options.xWhole);
        xText = tickText(X, xTicks, options.xPercent);
        const widest = 6.9 * Math.max(0, ...xTicks.values.map((value) => xText.text(value).length));
        if (widest + 16 <= (xTicks.step / (X.high - X.low)) * (right - left)) break; // the labels stay apart
      }
      const along = (value) => ((X.log ? Math.log10(value) : value) - X.low) / (X.high - X.low);
      const x = (value) => (X ? left + along(value) * (right - left) : left);
      svg.dataset.xScale = X?.log ? "log" : "linear";
      const y = (value) => (Y ? bottom - ((value - Y.low) / (Y.high - Y.low)) * (bottom - top) : bottom);
      const grid = s("g", { "aria-hidden": "true" });
      yTicks.values.forEach((value, k) => {
        const at = Math.round(y(value)) + 0.5;
        grid.append(s("line", { class: "gridline", x1: left, x2: right, y1: at, y2: at }),
          s("text", { x: left - 8, y: at + 4, "text-anchor": "end" }, yLabels[k]));
      });
      xTicks.values.forEach((value) => {
        const at = Math.round(x(value)) + 0.5;
        grid.append(s("line", { class: "gridline", x1: at, x2: at, y1: top, y2: bottom }),
          s("text", { x: at, y: bottom + 19, "text-anchor": "middle" }, xText.text(value)));
      });
      grid.append(s("path", { class: "axis", fill: "none", d: `M${left + 0.5} ${top}V${bottom + 0.5}H${right}` }));
      svg.append(grid);
      return { x, y, left, right, top, bottom, xUnit: xText.unit, yUnit: yText.unit };
    };
    const canvas = (host, height) => {
      const width = Math.max(240, Math.floor(host.clientWidth));
      const svg = s("svg", { width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" });
      return { svg, width };
    };
    const round = (value) => Math.round(value * 100) / 100;
    const pathOf = (list) => list.map(([x, y], k) => `${k ? "L" : "M"}${round(x)} ${round(y)}`).join("");
    // Stretches of the points, in the order of the parameter, that all satisfy a condition.
    const runsOf = (condition) => {
      const runs = [];
      let run = [];
      for (const i of order) {
        if (condition(points[i])) run.push(points[i]);
        else if (run.length) { runs.push(run); run = []; }
      }
      if (run.length) runs.push(run);
      return runs;
    };

    // ---------------------------------------------------------------- the frontier

    // A chart: its element, where each point is in it, what is drawn over it, and its tip.
    const chartIn = (id) => ({
      host: byId(id),
      at: [],
      marks: null,
      tip: h("div", { class: "tip", hidden: true, "aria-hidden": "true" }),
    });
    const frontier = chartIn("frontier-chart");
    const valueOf = {
      risk_return: { x: (p) => p.risk, y: (p) => p.expected_return, bound: (p) => p.risk_bound },
      risk: { x: (p) => p.parameter, y: (p) => p.risk, bound: (p) => p.risk_bound },
      objective: { x: (p) => p.parameter, y: (p) => p.objective, bound: (p) => p.bound },
    }[data.chart];
    const yLabel = { risk_return: data.y_label, risk: data.x_label, objective: data.objective_label }[data.chart];
    const singles = data.single_assets ?? { names: [], risk: [], expected_return: [] };
    const NAMED_SINGLES = 1000; // up to this many single assets say their name when pointed at
    const plotted = (p) => p.held && valueOf.x(p) !== null && valueOf.y(p) !== null;
    const banded = (p) => plotted(p) && valueOf.bound(p) !== null;
    const whole = !parameterPercent && points.every((p) => Number.isInteger(p.parameter));

    const drawFrontier = () => {
      const { host } = frontier;
      const height = Math.round(Math.min(430, Math.max(280, host.clientWidth * 0.52)));
      const { svg, width } = canvas(host, height);
      const shown = points.filter(plotted);
      const absent = points.filter((p) => !p.held && parameterAxis !== null && p.parameter !== null);
      const free = curve && data.unconstrained ? data.unconstrained : { risk: [], expected_return: [] };
      const bounds = shown.filter(banded).map(valueOf.bound);
      const missed = absent.map((p) => p.parameter);
      const xs = [...shown.map(valueOf.x), ...free.risk, ...singles.risk];
      const ys = [...shown.map(valueOf.y), ...free.expected_return, ...singles.expected_return];
      (curve ? xs : ys).push(...bounds);
      (parameterAxis === "x" ? xs : ys).push(...missed);
      const X = scaleOf(xs, 0.05, !curve && whole, !curve && data.log);
      const Y = scaleOf(ys, 0.07, false);
      const f = frame(svg, width, height, X, Y, {
        top: 10,
        xPercent: curve || parameterPercent,
        yPercent: ofPortfolios,
        xWhole: !curve && whole,
      });
      byId("frontier-y").textContent = yLabel + f.yUnit;
      byId("frontier-x").textContent = (curve ? data.x_label : label) + f.xUnit;

      const px = (p) => f.x(valueOf.x(p));
      const py = (p) => f.y(valueOf.y(p));
      const bandAt = (p) => (curve ? [f.x(valueOf.bound(p)), py(p)] : [px(p), f.y(valueOf.bound(p))]);
      for (const run of runsOf(banded)) {
        const outer = run.map((p) => [px(p), py(p)]);
        const inner = run.map(bandAt);
        if (run.length > 1) svg.append(s("path", { class: "band", d: pathOf([...outer, ...inner.reverse()]) + "z" }));
        else svg.append(s("path", { class: "band-line", d: pathOf([outer[0], inner[0]]) }));
      }
      if (free.risk.length) {
        const line = free.risk.map((risk, k) => [f.x(risk), f.y(free.expected_return[k])]);
        svg.append(s("path", { class: "free", d: pathOf(line) }));
      }
      if (singles.risk.length) {
        const named = singles.risk.length <= NAMED_SINGLES;
        svg.append(s("g", { class: "singles" }, ...singles.risk.map((risk, k) =>
          s("circle", { class: "single", cx: round(f.x(risk)), cy: round(f.y(singles.expected_return[k])), r: 2 },
            named ? s("title", null, singles.names[k]) : null))));
      }
      for (const run of runsOf(plotted)) {
        if (run.length > 1) svg.append(s("path", { class: "curve", d: pathOf(run.map((p) => [px(p), py(p)])) }));
      }

      frontier.at = points.map((p) => {
        if (plotted(p)) return [px(p), py(p)];
        if (p.held || p.parameter === null) return null;
        if (parameterAxis === "y") return [f.left + 0.5, f.y(p.parameter)];
        return parameterAxis === "x" ? [f.x(p.parameter), f.bottom + 0.5] : null;
      });
      const radius = points.length <= 60 ? 4.5 : points.length <= 250 ? 3.2 : 2;
      const layer = s("g", { class: points.length > 250 ? "dense" : null });
      for (const status of ["infeasible", "unknown", "feasible", "optimal"]) {
        const size = status === "optimal" || status === "feasible" ? radius : Math.max(2.5, radius - 0.7);
        const these = points.filter((p) => p.status === status && frontier.at[p.i]);
        const d = these.map((p) => glyph[status](...frontier.at[p.i].map(round), size)).join("");
        if (d) layer.append(s("path", { class: status, d }));
      }
      const best = data.sharpe ? frontier.at[data.sharpe.i] : null;
      if (best) svg.append(s("path", { class: "sharpe", d: star(best[0], best[1], radius + 6.5) }));
      svg.append(layer); // the star is below: whether its dot is filled is seen
      if (!shown.length) {
        const text = points.length ? "No point has an answer." : "There are no points.";
        const middle = { x: (f.left + f.right) / 2, y: (f.top + f.bottom) / 2, "text-anchor": "middle" };
        svg.append(s("text", { class: "empty", ...middle }, text));
      }
      frontier.marks = s("g", null);
      frontier.radius = radius;
      frontier.frame = f;
      svg.append(frontier.marks);
      host.replaceChildren(svg, frontier.tip);
    };

    const nearestIn = (chart, event, onlyX) => {
      const box = chart.host.getBoundingClientRect();
      const mx = event.clientX - box.left;
      const my = event.clientY - box.top;
      let best = -1;
      let least = Infinity;
      chart.at.forEach((at, i) => {
        if (!at) return;
        const distance = (at[0] - mx) ** 2 + (onlyX ? 0 : (at[1] - my) ** 2);
        if (distance < least) { least = distance; best = i; }
      });
      return { best, mx, my };
    };

    // ---------------------------------------------------------------- the weights

    // A chart of stacked weights: long positions upwards from zero, short ones downwards. `labels` says under which name
    // the weight of each asset is counted; those with the most weight have a colour of their own.
    const stackOf = (part, title, labels) => {
      const stack = { ...chartIn(`${part}-chart`), title };
      const totals = new Map(labels.map((name) => [name, 0]));
      for (const p of points) for (const [j, w] of p.weights) totals.set(labels[j], totals.get(labels[j]) + Math.abs(w));
      const places = new Map([...totals.keys()].map((name, k) => [name, k]));
      const ranked = [...totals.keys()].sort((a, b) => totals.get(b) - totals.get(a) || places.get(a) - places.get(b));
      const coloured = ranked.slice(0, AREAS);
      const layerNamed = new Map(coloured.map((name, k) => [name, k]));
      const layerOf = labels.map((name) => layerNamed.get(name) ?? coloured.length);
      const layers = coloured.length + (ranked.length > coloured.length ? 1 : 0);
      const layerName = (k) => (k < coloured.length ? coloured[k] : `others (${ranked.length - coloured.length})`);
      const layerColour = (k) => `var(--area-${k < coloured.length ? k : AREAS})`;
      // Of each point: positive and negative part of every layer.
      const split = points.map((p) => {
        const up = new Float64Array(layers);
        const down = new Float64Array(layers);
        for (const [j, w] of p.weights) (w > 0 ? up : down)[layerOf[j]] += w;
        return { up, down };
      });
      const light = (k) => {
        const svg = stack.host.querySelector("svg");
        svg.classList.toggle("some", k !== null);
        for (const path of svg.querySelectorAll(".area")) path.classList.toggle("lit", Number(path.dataset.layer) === k);
      };

      stack.layers = layers;
      stack.colourOf = (j) => layerColour(layerOf[j]);
      stack.draw = () => {
        const { host } = stack;
        const height = Math.round(Math.min(300, Math.max(230, host.clientWidth * 0.36)));
        const { svg, width } = canvas(host, height);
        const sum = (values) => values.reduce((a, b) => a + b, 0);
        const high = Math.max(0, ...split.map((one) => sum(one.up)));
        const low = Math.min(0, ...split.map((one) => sum(one.down)));
        const X = scaleOf(column("parameter"), points.every((p) => p.held) ? 0 : 0.02, whole, data.log);
        const Y = { low: low * 1.02, high: high > 0 || low < 0 ? high * (low < 0 ? 1.02 : 1) : 1 };
        const f = frame(svg, width, height, X, Y, {
          top: 14,
          xPercent: parameterPercent,
          yPercent: weightPercent,
          xWhole: whole,
        });
        byId(`${part}-x`).textContent = label + f.xUnit;
        const runs = runsOf((p) => p.held && p.parameter !== null);
        for (let k = 0; k < layers; k++) {
          let d = "";
          for (const run of runs) {
            for (const side of ["up", "down"]) {
              if (!run.some((p) => split[p.i][side][k] !== 0)) continue;
              const base = run.map((p) => sum(split[p.i][side].subarray(0, k)));
              const upper = run.map((p, m) => [f.x(p.parameter), f.y(base[m] + split[p.i][side][k])]);
              const lower = run.map((p, m) => [f.x(p.parameter), f.y(base[m])]);
              if (run.length === 1) {
                const at = upper[0][0];
                const [x0, x1] = [Math.max(f.left, at - 14), Math.min(f.right, at + 14)];
                d += `M${round(x0)} ${round(upper[0][1])}H${round(x1)}V${round(lower[0][1])}H${round(x0)}z`;
              } else d += pathOf([...upper, ...lower.reverse()]) + "z";
            }
          }
          const path = s("path", { class: points.length > 250 ? "area close" : "area", d, "data-layer": k });
          path.style.fill = layerColour(k);
          svg.append(path);
        }
        if (low < 0) {
          const at = Math.round(f.y(0)) + 0.5;
          svg.append(s("line", { class: "zeroline", x1: f.left, x2: f.right, y1: at, y2: at }));
        }
        const absent = points.filter((p) => !p.held && p.parameter !== null);
        for (const status of ["infeasible", "unknown"]) {
          const size = points.length <= 250 ? 3.8 : 2.5;
          const these = absent.filter((p) => p.status === status);
          const d = these.map((p) => glyph[status](round(f.x(p.parameter)), f.bottom + 0.5, size)).join("");
          if (d) svg.append(s("path", { class: status, d }));
        }
        stack.at = points.map((p) => (p.parameter === null ? null : [f.x(p.parameter), f.bottom]));
        stack.frame = f;
        stack.toWeight = (py) => Y.low + ((f.bottom - py) / (f.bottom - f.top)) * (Y.high - Y.low);
        stack.marks = s("g", null);
        svg.append(stack.marks);
        host.replaceChildren(svg, stack.tip);
      };
      stack.drawLegend = () => {
        byId(`${part}-legend`).replaceChildren(...Array.from({ length: layers }, (_, k) =>
          h("li", { title: layerName(k), onpointerenter: () => light(k), onpointerleave: () => light(null) },
            h("i", { class: "swatch", css: { background: layerColour(k) } }),
            h("span", null, shorten(layerName(k), 24)))));
      };
      // What is drawn at a height of the stack, as [name, weight]; null beside it.
      stack.layerAt = (i, value) => {
        for (const side of ["up", "down"]) {
          let base = 0;
          for (let k = 0; k < layers; k++) {
            const next = base + split[i][side][k];
            const inside = value >= Math.min(base, next) && value <= Math.max(base, next);
            if (next !== base && inside) return [layerName(k), next - base];
            base = next;
          }
        }
        return null;
      };
      return stack;
    };
    const byAsset = stackOf("weights", "Weights", names);
    const byGroup = data.groups && names.length
      ? stackOf("groups", "Weights by group", data.groups)
      : null;
    const stacks = byGroup ? [byAsset, byGroup] : [byAsset];

    // ---------------------------------------------------------------- marks and tips

    const renderMarks = () => {
      const badge = (i, x, y, line) => {
        const which = pins.indexOf(i);
        return s("g", { class: `badge pin-${LETTERS[which].toLowerCase()}` }, line,
          s("circle", { cx: x, cy: y, r: 9 }), s("text", { x, y: y + 4 }, LETTERS[which]));
      };
      const front = [];
      for (const i of pins) if (frontier.at[i]) front.push(badge(i, ...frontier.at[i]));
      if (current >= 0 && frontier.at[current]) {
        const [cx, cy] = frontier.at[current];
        const pinned = pins.includes(current);
        if (!pinned && points.length > 250) front.push(s("circle", { class: "core", cx, cy, r: frontier.radius + 1 }));
        front.push(s("circle", { class: "halo", cx, cy, r: pinned ? 12 : frontier.radius + 4 }));
      }
      frontier.marks.replaceChildren(...front);

      for (const stack of stacks) {
        const f = stack.frame;
        if (!f) continue;
        const back = [];
        if (current >= 0 && stack.at[current]) {
          const x = stack.at[current][0];
          const line = { x1: x, x2: x, y1: f.top - 4, y2: f.bottom };
          back.push(s("line", { class: "cursor under", ...line }), s("line", { class: "cursor", ...line }));
        }
        for (const i of pins) {
          if (!stack.at[i]) continue;
          const x = stack.at[i][0];
          back.push(badge(i, x, f.top - 4, s("line", { x1: x, x2: x, y1: f.top, y2: f.bottom })));
        }
        stack.marks.replaceChildren(...back);
      }

      const p = points[current];
      for (const chart of [frontier, ...stacks]) {
        if (!p) continue;
        chart.host.setAttribute("aria-valuenow", rank[current] + 1);
        const pinned = pins.includes(current) ? `, pinned as ${LETTERS[pins.indexOf(current)]}` : "";
        chart.host.setAttribute("aria-valuetext", `${brief(p).join(", ")}${pinned}`);
      }
    };
    const brief = (p) => {
      const lines = [`${pointName(p)}: ${label} ${show.parameter(p)}`];
      if (p.held && ofPortfolios) lines.push(`expected return ${show.expected_return(p)}, risk ${show.risk(p)}`);
      else if (p.held) lines.push(`${data.objective_label} ${show.objective(p)}`);
      lines.push(p.held && p.words !== data.legend.optimal ? `gap ${p.words}` : p.words);
      return lines;
    };
    const showTip = (chart, lines, x, y) => {
      const { tip, host } = chart;
      tip.replaceChildren(...lines.map((text, k) => h("div", null, k ? text : h("b", null, text))));
      tip.hidden = false;
      const width = tip.offsetWidth;
      const height = tip.offsetHeight;
      const left = x + 18 + width <= host.clientWidth ? x + 18 : Math.max(0, x - 18 - width);
      const top = Math.min(Math.max(0, y - height / 2), Math.max(0, host.clientHeight - height - 30));
      tip.style.left = `${left}px`;
      tip.style.top = `${top}px`;
    };
    const tipFrontier = () => {
      const at = frontier.at[current];
      if (at) showTip(frontier, brief(points[current]), at[0], at[1]);
    };
    const tipWeights = (stack, pointerY) => {
      const p = points[current];
      const at = stack.at[current];
      if (!at || !stack.toWeight) return;
      const lines = brief(p).slice(0, 1);
      const asset = p.held && pointerY !== null ? stack.layerAt(current, stack.toWeight(pointerY)) : null;
      if (asset) lines.unshift(`${asset[0]}: ${weightText(asset[1])}`);
      if (!p.held) lines.push(p.words);
      showTip(stack, lines, at[0], pointerY ?? 60);
    };

    // ---------------------------------------------------------------- pointer and keyboard

    const listen = (chart, onlyX, tip) => {
      const { host } = chart;
      const move = (event) => {
        const { best, my } = nearestIn(chart, event, onlyX);
        setCurrent(best, "chart");
        if (best >= 0) tip(onlyX ? my : undefined);
        return best;
      };
      const leave = () => { chart.tip.hidden = true; };
      host.addEventListener("pointermove", move);
      host.addEventListener("pointerleave", leave);
      host.addEventListener("click", (event) => { const best = move(event); togglePin(best, "chart"); });
      host.addEventListener("blur", leave);
      host.addEventListener("focus", () => { if (host.matches(":focus-visible") && current >= 0) tip(null); });
      host.addEventListener("keydown", (event) => {
        const k = current >= 0 ? rank[current] : 0;
        const jump = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[event.key];
        if (jump !== undefined) setCurrent(order[Math.min(order.length - 1, Math.max(0, k + jump))] ?? -1, "chart");
        else if (event.key === "Home") setCurrent(order[0] ?? -1, "chart");
        else if (event.key === "End") setCurrent(order[order.length - 1] ?? -1, "chart");
        else if (event.key === "Enter" || event.key === " ") togglePin(current, "chart");
        else return;
        event.preventDefault();
        if (current >= 0) tip(null);
      });
      host.setAttribute("aria-valuemin", 1);
      host.setAttribute("aria-valuemax", Math.max(1, points.length));
      host.setAttribute("aria-valuenow", 1);
    };

    // ---------------------------------------------------------------- the chosen point, or two of them

    const holdingsOf = (p) => [...p.weights].sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]) || a[0] - b[0]);
    const letter = (k) => h("span", { class: `letter pin-${LETTERS[k].toLowerCase()}` }, LETTERS[k]);
    const pinButton = (i) =>
      h("button", { type: "button", onclick: () => togglePin(i, "panel") }, pins.includes(i) ? "Unpin" : "Pin");

    const single = (p) => {
      const facts = [[label, show.parameter(p)]];
      if (p.held && p.expected_return !== null) facts.push(["expected return", show.expected_return(p)]);
      if (p.held && p.risk !== null) facts.push(["risk", show.risk(p)]);
      if (p.held && p.sharpe_ratio !== null) facts.push(["sharpe ratio", show.sharpe_ratio(p)]);
      if (p.held && !ofPortfolios) facts.push([data.objective_label, show.objective(p)]);
      facts.push(["status", statusWords[p.status]]);
      if (p.held) facts.push(["gap", p.words]);
      if (p.held && p.status !== "optimal" && p.risk_gap !== null) facts.push(["risk gap", show.risk_gap(p)]);
      if (p.held && p.found_by !== "-") facts.push(["found by", p.found_by]);
      facts.push(["seconds", show.seconds(p)]);
      const list = holdingsOf(p);
      // From the largest short position to the largest long one; bars begin at zero and shorts go to the left.
      const least = Math.min(0, ...list.map(([, w]) => w));
      const width = Math.max(0, ...list.map(([, w]) => w)) - least || 1;
      const kind = (list.some(([j]) => names[j].length > 14) ? " long" : "") + (list.length > 40 ? " many" : "");
      const barOf = (j, w) => {
        const css = {
          left: `${(100 * (Math.min(w, 0) - least)) / width}%`,
          width: `${(100 * Math.abs(w)) / width}%`,
          background: byAsset.colourOf(j),
        };
        const zero = least < 0 ? h("i", { class: "zero", css: { left: `${(-100 * least) / width}%` } }) : null;
        return h("span", { class: "track" }, h("i", { class: w < 0 ? "fill short" : "fill", css }), zero);
      };
      return [
        h("div", { class: "top" },
          h("h2", null, pins.includes(p.i) ? letter(pins.indexOf(p.i)) : null, pointName(p)),
          pinButton(p.i)),
        h("dl", { class: "facts" }, ...facts.flatMap(([name, text]) => [h("dt", null, name), h("dd", null, text)])),
        p.held
          ? h("h3", null, list.length === 1 ? "1 holding" : `${list.length} holdings`)
          : h("p", { class: "quiet-text" }, `${p.words[0].toUpperCase()}${p.words.slice(1)}.`),
        h("ul", { class: `holdings${kind}`, "aria-label": "Holdings" }, ...list.map(([j, w]) =>
          h("li", null,
            h("span", { class: "name", title: data.groups?.[j] ?? null }, names[j]),
            barOf(j, w),
            h("span", { class: "value" }, weightText(w))))),
      ];
    };

    const versus = (a, b) => {
      const heads = [a, b].map((p, k) => h("div", null,
        h("span", null, letter(k), `${pointName(p)}, ${label} ${show.parameter(p)}`),
        pinButton(p.i)));
      const fact = (name, left, right, change) =>
        h("tr", null,
          h("th", { scope: "row" }, name),
          ...[left, right, change ?? ""].map((text) => h("td", null, text)));
      const difference = (key, decimals) => {
        if (a[key] === null || b[key] === null) return "";
        const text = percent(b[key] - a[key], decimals);
        return b[key] > a[key] ? "+" + text : text;
      };
      const facts = [];
      if (ofPortfolios) facts.push(
        fact("expected return", show.expected_return(a), show.expected_return(b),
          difference("expected_return", returnDecimals)),
        fact("risk", show.risk(a), show.risk(b), difference("risk", riskDecimals)));
      else {
        const known = a.objective !== null && b.objective !== null;
        const change = known ? plain(Number((b.objective - a.objective).toPrecision(6))) : "";
        facts.push(fact(data.objective_label, show.objective(a), show.objective(b), change));
      }
      facts.push(
        fact("status", statusShort[a.status], statusShort[b.status]),
        fact("gap", show.gap(a), show.gap(b)),
        fact("assets", show.assets(a), show.assets(b)));
      const groups = { in: [], out: [], changed: [], same: 0 };
      let moved = 0;
      for (const j of new Set([...a.weights.keys(), ...b.weights.keys()])) {
        const row = { j, a: a.weights.get(j) ?? 0, b: b.weights.get(j) ?? 0 };
        row.change = row.b - row.a;
        moved += Math.abs(row.change) / 2;
        if (row.a === 0) groups.in.push(row);
        else if (row.b === 0) groups.out.push(row);
        else if (Math.abs(row.change) > 1e-9) groups.changed.push(row);
        else groups.same++;
      }
      const titles = [["in", "Comes in"], ["out", "Goes out"], ["changed", "Changes weight"]];
      const bodies = titles.filter(([key]) => groups[key].length).map(([key, title]) =>
        h("tbody", { class: key },
          h("tr", { class: "group" }, h("th", { colspan: 4, scope: "rowgroup" }, `${title} (${groups[key].length})`)),
          ...groups[key].sort((p, q) => Math.abs(q.change) - Math.abs(p.change) || p.j - q.j).map((row) =>
            h("tr", null,
              h("th", { scope: "row", title: names[row.j], "aria-label": names[row.j] }, shorten(names[row.j], 34)),
              h("td", null, row.a === 0 ? dash : weightText(row.a)),
              h("td", null, row.b === 0 ? dash : weightText(row.b)),
              h("td", { class: row.change > 0 ? "up" : "down" }, changeText(row.change))))));
      const both = a.held && b.held;
      return [
        h("div", { class: "top" }, h("h2", null, "Two points compared"),
          h("button", { type: "button", id: "unpin", onclick: unpinAll }, "Unpin all")),
        h("div", { class: "compare-heads" }, ...heads),
        h("table", { class: "versus", "aria-label": `${pointName(a)} compared with ${pointName(b)}` },
          h("thead", null, h("tr", null,
            h("th", null, h("span", { class: "unseen" }, "Quantity")),
            ...["A", "B", "change"].map((text) => h("th", { scope: "col" }, text)))),
          h("tbody", { class: "facts-rows" }, ...facts), ...(both ? bodies : [])),
        h("p", { class: "note" }, !both ? "Holdings are compared where both points have an answer."
          : (groups.same ? `${groups.same} more stay as they are. ` : "")
            + `From A to B, ${weightText(moved)} of weight moves.`),
      ];
    };

    const renderPanel = () => {
      const panel = byId("panel");
      if (current < 0) {
        panel.replaceChildren(h("p", { class: "quiet-text" }, "There are no points."));
        return;
      }
      const inside = panel.contains(document.activeElement) && document.activeElement !== panel;
      const partner = pins.length === 2 ? pins[1] : current;
      const two = pins.length === 2 || (pins.length === 1 && partner !== pins[0]);
      panel.replaceChildren(...(two ? versus(points[pins[0]], points[partner]) : single(points[current])));
      if (inside) (panel.querySelector("button") ?? panel).focus();
    };

    // ---------------------------------------------------------------- the table

    const statuses = ["optimal", "feasible", "unknown", "infeasible"]; // in the order of sorting
    const optional = ["expected_return", "risk", "risk_gap", "sharpe_ratio", "found_by"];
    const columnsShown = [
      { key: "point", title: "point", width: 62, value: (p) => p.point },
      { key: "parameter", title: label, width: 96, value: (p) => p.parameter, text: show.parameter },
      { key: "status", title: "status", width: 104, words: true, value: (p) => statuses.indexOf(p.status) },
      { key: "expected_return", title: "expected return", width: 92, value: (p) => p.expected_return,
        text: show.expected_return },
      { key: "risk", title: "risk", width: 80, value: (p) => p.risk, text: show.risk },
      { key: "objective", title: data.objective_label, width: 114, value: (p) => p.objective, text: show.objective },
      { key: "bound", title: "bound", width: 112, value: (p) => p.bound, text: show.bound },
      { key: "gap", title: "gap", width: 66, value: (p) => p.gap, text: show.gap },
      { key: "risk_gap", title: "risk gap", width: 80, value: (p) => p.risk_gap, text: show.risk_gap },
      { key: "sharpe_ratio", title: "sharpe ratio", width: 80, value: (p) => p.sharpe_ratio, text: show.sharpe_ratio },
      { key: "assets", title: "assets", width: 72, value: (p) => (p.held ? p.assets : null), text: show.assets },
      { key: "found_by", title: "found by", width: 136, words: true, value: (p) => p.found_by, text: show.found_by },
      { key: "seconds", title: "seconds", width: 88, value: (p) => p.seconds, text: show.seconds },
    ].filter(({ key }) => key !== "assets" || data.parameter !== "assets") // the parameter says so already
      .filter(({ key }) => !optional.includes(key) || column(key).some((value) => value !== "-"));
    const table = byId("table");
    const scroller = byId("scroller");
    const body = table.tBodies[0];
    let sorting = { key: "point", direction: 1 };
    let sorted = [];
    let place = [];
    const windowed = points.length > ALL_ROWS;
    let drawn = { first: -1, last: -1, order: null };

    const sortRows = () => {
      const { value } = columnsShown.find((c) => c.key === sorting.key);
      const keys = points.map(value);
      const numbers = keys.every((key) => key === null || typeof key === "number");
      const compare = numbers ? (a, b) => a - b : (a, b) => String(a).localeCompare(String(b));
      sorted = points.map((p) => p.i).sort((a, b) => {
        const empty = (keys[a] === null) - (keys[b] === null); // those without a value come last, up or down
        if (empty || keys[a] === null) return empty || a - b;
        return sorting.direction * compare(keys[a], keys[b]) || a - b;
      });
      place = new Array(points.length);
      sorted.forEach((i, k) => { place[i] = k; });
      for (const cell of table.tHead.rows[0].cells) {
        const direction = sorting.direction > 0 ? "ascending" : "descending";
        cell.setAttribute("aria-sort", cell.dataset.key === sorting.key ? direction : "none");
      }
    };
    const drawHead = () => {
      table.setAttribute("aria-rowcount", points.length + 1);
      table.tHead.replaceChildren(h("tr", { "aria-rowindex": 1 }, ...columnsShown.map((c) =>
        h("th", { scope: "col", "data-key": c.key, class: c.words ? "words" : null, css: { width: `${c.width}px` } },
          h("button", { type: "button", onclick: () => {
            sorting = { key: c.key, direction: sorting.key === c.key ? -sorting.direction : 1 };
            sortRows();
            scroller.scrollTop = 0;
            renderRows(false);
            announce(`Sorted by ${c.title}, ${sorting.direction > 0 ? "ascending" : "descending"}`);
          } }, c.title)))));
    };
    const rowOf = (i) => {
      const p = points[i];
      const cells = columnsShown.map((c) => {
        if (c.key === "point") {
          const button = h("button", { type: "button", tabindex: -1, title: "Pin or unpin" }, String(p.point));
          return h("th", { scope: "row" }, button);
        }
        if (c.key === "status") return h("td", { class: "words" }, symbol(p.status), statusShort[p.status]);
        return h("td", { class: c.words ? "words" : null, title: c.words ? c.text(p) : null }, c.text(p));
      });
      return h("tr", { class: "row", "data-i": i, "aria-rowindex": place[i] + 2 }, ...cells);
    };
    const space = (rows) =>
      h("tr", { class: "space", "aria-hidden": "true" },
        h("td", { colspan: columnsShown.length, css: { height: `${rows * ROW}px` } }));

    const renderRows = (reveal) => {
      const headHeight = table.tHead.offsetHeight;
      if (reveal && current >= 0 && scroller.scrollHeight > scroller.clientHeight) {
        const top = place[current] * ROW;
        const view = scroller.clientHeight - headHeight;
        if (top < scroller.scrollTop) scroller.scrollTop = top;
        else if (top + ROW > scroller.scrollTop + view) scroller.scrollTop = top + ROW - view;
      }
      let first = 0;
      let last = sorted.length;
      if (windowed) {
        first = Math.max(0, Math.floor(scroller.scrollTop / ROW) - 10);
        last = Math.min(sorted.length, first + Math.ceil(scroller.clientHeight / ROW) + 20);
      }
      const focused = body.contains(document.activeElement);
      if (first !== drawn.first || last !== drawn.last || sorted !== drawn.order) {
        const rows = sorted.slice(first, last).map(rowOf);
        if (first > 0) rows.unshift(space(first));
        if (last < sorted.length) rows.push(space(sorted.length - last));
        body.replaceChildren(...rows);
        drawn = { first, last, order: sorted };
      }
      markRows();
      if (focused) body.querySelector('button[tabindex="0"]')?.focus({ preventScroll: true });
    };
    const markRows = () => {
      const seen = current >= 0 && place[current] >= drawn.first && place[current] < drawn.last;
      const reachable = seen ? current : sorted[Math.max(0, drawn.first)];
      for (const row of body.rows) {
        if (row.dataset.i === undefined) continue;
        const i = Number(row.dataset.i);
        const which = pins.indexOf(i);
        if (i === current) row.setAttribute("aria-current", "true");
        else row.removeAttribute("aria-current");
        row.classList.toggle("pin-a", which === 0);
        row.classList.toggle("pin-b", which === 1);
        const button = row.cells[0].firstChild;
        button.tabIndex = i === reachable ? 0 : -1;
        button.setAttribute("aria-pressed", String(which >= 0));
      }
    };
    const listenTable = () => {
      const indexOf = (event) => Number(event.target.closest("tr.row")?.dataset.i ?? -1);
      let lastX = -1;
      let lastY = -1;
      body.addEventListener("pointermove", (event) => {
        // Rows that scroll under a resting pointer do not count as pointing.
        if (event.clientX === lastX && event.clientY === lastY) return;
        [lastX, lastY] = [event.clientX, event.clientY];
        setCurrent(indexOf(event), "table");
      });
      body.addEventListener("focusin", (event) => { setCurrent(indexOf(event), "table"); });
      body.addEventListener("click", (event) => { togglePin(indexOf(event), "table"); });
      body.addEventListener("keydown", (event) => {
        const all = sorted.length;
        const jump = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -all, End: all }[event.key];
        if (jump === undefined) return;
        event.preventDefault();
        setCurrent(sorted[Math.min(all - 1, Math.max(0, place[current] + jump))], "keys");
      });
      scroller.addEventListener("scroll", () => { if (windowed) renderRows(false); }, { passive: true });
    };

    // ---------------------------------------------------------------- the file

    const csv = () => {
      const quote = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
      const cell = (value) => (value === null || value === undefined ? "" : quote(String(value)));
      const lines = [["point", data.parameter, "status", "expected_return", "risk", ...names].map(quote).join(",")];
      for (const p of points) {
        const row = [p.point, p.parameter, p.status, p.expected_return, p.risk].map(cell);
        for (let j = 0; j < names.length; j++) row.push(p.held ? String(p.weights.get(j) ?? 0) : "");
        lines.push(row.join(","));
      }
      return lines.join("\r\n") + "\r\n";
    };
    const download = () => {
      const address = URL.createObjectURL(new Blob([csv()], { type: "text/csv;charset=utf-8" }));
      const link = h("a", { href: address, download: "weights.csv", hidden: true });
      document.body.append(link);
      link.click();
      link.remove();
      setTimeout(() => URL.revokeObjectURL(address), 10000);
      announce("weights.csv saved");
    };

    // ---------------------------------------------------------------- printing

    const beforePrint = () => {
      root.dataset.theme = "light";
      frontier.tip.hidden = true;
      for (const stack of stacks) stack.tip.hidden = true;
      if (!windowed) return;
      body.replaceChildren(...sorted.slice(0, PRINTED_ROWS).map(rowOf));
      drawn = { first: -1, last: -1, order: null };
      const note = byId("table-note");
      note.textContent = `The first ${PRINTED_ROWS} of ${points.length} points; the CSV file has all of them.`;
      note.hidden = points.length <= PRINTED_ROWS;
    };
    const afterPrint = () => {
      applyTheme();
      byId("table-note").hidden = true;
      renderRows(false);
    };

    // ---------------------------------------------------------------- all together

    const draw = () => {
      drawFrontier();
      if (!byId("weights").hidden) for (const stack of stacks) stack.draw();
      renderMarks();
    };
    byId("weights").hidden = byAsset.layers === 0;
    byId("groups").hidden = !byGroup;
    byId("rules").hidden = !document.querySelector(".rules-list div");
    byId("download").disabled = points.length === 0;
    const axes = `${yLabel} against ${curve ? data.x_label : label}`;
    frontier.host.setAttribute("aria-label", axes);
    for (const stack of stacks) stack.host.setAttribute("aria-label", `${stack.title} against ${label}`);
    const unplaced = points.filter((p) => !p.held && parameterAxis === null);
    const notes = [];
    if (unplaced.length) {
      const some = unplaced.slice(0, 12).map(show.parameter).join(", ");
      notes.push(`Without an answer: ${label} ${some}${unplaced.length > 12 ? ", …" : ""}.`);
    }
    if (singles.outside) {
      notes.push(`${singles.outside} of ${singles.outside + singles.risk.length} single assets lie outside the picture.`);
    }
    byId("frontier-note").textContent = notes.join(" ");
    byId("frontier-note").hidden = !notes.length;
    legendOf();
    for (const stack of stacks) stack.drawLegend();
    drawHead();
    sortRows();
    draw();
    renderPanel();
    renderRows(false);
    listen(frontier, false, tipFrontier);
    for (const stack of stacks) listen(stack, true, (pointerY) => tipWeights(stack, pointerY));
    listenTable();
    byId("download").addEventListener("click", download);
    document.addEventListener("keydown", (event) => { if (event.key === "Escape") unpinAll(); });
    addEventListener("beforeprint", beforePrint);
    addEventListener("afterprint", afterPrint);
    let width = frontier.host.clientWidth;
    new ResizeObserver(() => {
      if (frontier.host.clientWidth === width) return;
      width = frontier.host.clientWidth;
      draw();
      renderRows(false);
    }).observe(frontier.host);
  };

  document.addEventListener("DOMContentLoaded", () => {
    byId("theme").addEventListener("click", () => {
      chosenTheme = theme() === "dark" ? "light" : "dark";
      applyTheme();
    });
    applyTheme();
    start();
  });
})();
