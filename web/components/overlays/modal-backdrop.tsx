/**
 * The shade behind a modal dialog or drawer. While it is shown, the page below does not scroll, nor jump by the width
 * of its scrollbar. Radix would do this by injecting a <style>, which the content security
 * policy forbids.
 */
import { useLayoutEffect, type ReactNode } from "react";
import { cx } from "../../cx.ts";

export function ModalBackdrop({ className, children }: { className?: string; children: ReactNode }) {
  useLayoutEffect(holdPage, []);
  return (
    <div className={cx("fixed inset-0 z-40 bg-[light-dark(rgb(15_25_30/0.42),rgb(0_0_0/0.62))]", className)}>
      {children}
    </div>
  );
}

let holders = 0;

function holdPage(): () => void {
  const { style, clientWidth } = document.documentElement;
  if (holders === 0) {
    style.paddingRight = `${innerWidth - clientWidth}px`;
    style.overflow = "hidden";
  }
  holders += 1;
  return () => {
    holders -= 1;
    if (holders > 0) return;
    style.paddingRight = "";
    style.overflow = "";
  };
}
