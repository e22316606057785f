;; The inner loops of merging the correction into the starter weights: decode IQ2_XXS, add a low-rank product,
;; encode Q4_0. Four numbers at a time, in single precision and in a fixed order. WebAssembly defines every one
;; of these operations to the last bit, so the merged file is the same on every processor.
;;
;; The caller lays out the memory and checks the sizes; see merge-kernel.ts.
(module
  (memory (export "memory") 1)

  ;; A 16-bit float as a 32-bit one. Shifted into place the exponent is 112 too small, which the product mends,
  ;; also for subnormal numbers.
  (func $from_half (param $bits i32) (result f32)
    (f32.mul
      (f32.reinterpret_i32
        (i32.or
          (i32.shl (i32.and (local.get $bits) (i32.const 0x8000)) (i32.const 16))
          (i32.shl (i32.and (local.get $bits) (i32.const 0x7fff)) (i32.const 13))))
      (f32.const 0x1p112)))

  ;; The nearest 16-bit float, the even one of two that are as near. What is too large becomes the largest.
  (func $to_half (param $value f32) (result i32)
    (local $size i32) (local $half i32)
    (local.set $size (i32.reinterpret_f32 (f32.abs (local.get $value))))
    (if (i32.lt_u (local.get $size) (i32.const 0x38800000))
      (then
        ;; Below 2^-14 a half counts in units of 2^-24, which is the last place of one half as a single.
        (local.set $half
          (i32.sub
            (i32.reinterpret_f32 (f32.add (f32.reinterpret_i32 (local.get $size)) (f32.const 0.5)))
            (i32.reinterpret_f32 (f32.const 0.5)))))
      (else
        (local.set $half
          (i32.sub
            (i32.shr_u
              (i32.add
                (i32.add (local.get $size) (i32.const 0xfff))
                (i32.and (i32.shr_u (local.get $size) (i32.const 13)) (i32.const 1)))
              (i32.const 13))
            (i32.const 0x1c000)))
        (if (i32.gt_u (local.get $half) (i32.const 0x7bff))
          (then (local.set $half (i32.const 0x7bff))))))
    (i32.or
      (local.get $half)
      (i32.shl (f32.lt (local.get $value) (f32.const 0)) (i32.const 15))))

  ;; IQ2_XXS: blocks of 66 bytes, a half and eight groups. A group is four numbers of patterns (a byte each), then
  ;; four times seven bits of signs and four bits of scale, and stands for 32 values. `patterns` holds 256 times
  ;; eight floats, `signs` 128 times eight masks that flip a float's sign bit.
  (func (export "decode_iq2xxs")
    (param $source i32) (param $blocks i32) (param $target i32) (param $patterns i32) (param $signs i32)
    (local $block_end i32) (local $group_end i32) (local $block_scale f32)
    (local $numbers i32) (local $bits i32) (local $scale v128) (local $left i32)
    (local $pattern i32) (local $sign i32)
    (local.set $block_end
      (i32.add (local.get $source) (i32.mul (local.get $blocks) (i32.const 66))))
    (loop $each_block
      (local.set $block_scale (call $from_half (i32.load16_u (local.get $source))))
      (local.set $source (i32.add (local.get $source) (i32.const 2)))
      (local.set $group_end (i32.add (local.get $source) (i32.const 64)))
      (loop $each_group
        (local.set $numbers (i32.load (local.get $source)))
        (local.set $bits (i32.load offset=4 (local.get $source)))
        (local.set $scale
          (f32x4.splat
            (f32.mul
              (f32.mul
                (local.get $block_scale)
                (f32.add
                  (f32.const 0.5)
                  (f32.convert_i32_u (i32.shr_u (local.get $bits) (i32.const 28)))))
              (f32.const 0.25))))
        (local.set $left (i32.const 4))
        (loop $each_pattern
          (local.set $pattern
            (i32.add
              (local.get $patterns)
              (i32.shl (i32.and (local.get $numbers) (i32.const 255)) (i32.const 5))))
          (local.set $sign
            (i32.add
              (local.get $signs)
              (i32.shl (i32.and (local.get $bits) (i32.const 127)) (i32.const 5))))
          (v128.store (local.get $target)
            (v128.xor
              (f32x4.mul (v128.load (local.get $pattern)) (local.get $scale))
              (v128.load (local.get $sign))))
          (v128.store offset=16 (local.get $target)
            (v128.xor
              (f32x4.mul (v128.load offset=16 (local.get $pattern)) (local.get $scale))
              (v128.load offset=16 (local.get $sign))))
          (local.set $numbers (i32.shr_u (local.get $numbers) (i32.const 8)))
          (local.set $bits (i32.shr_u (local.get $bits) (i32.const 7)))
          (local.set $target (i32.add (local.get $target) (i32.const 32)))
          (br_if $each_pattern (local.tee $left (i32.sub (local.get $left) (i32.const 1)))))
        (local.set $source (i32.add (local.get $source) (i32.const 8)))
        (br_if $each_group (i32.lt_u (local.get $source) (local.get $group_end))))
      (br_if $each_block (i32.lt_u (local.get $source) (local.get $block_end)))))

  ;; values += coefficients · panel, for rows by columns of values. The panel holds, for each 16 columns, `rank`
  ;; times 16 floats side by side: 4 KB at rank 64, which stay in the first cache while all rows go by. Two rows
  ;; of 16 columns are eight registers of sums; each sum begins at zero and takes its products in order.
  (func (export "add_product")
    (param $values i32) (param $panel i32) (param $coefficients i32)
    (param $rows i32) (param $columns i32) (param $rank i32)
    (local $row_bytes i32) (local $rank_bytes i32) (local $tile_end i32) (local $row i32)
    (local $above i32) (local $below i32) (local $at i32) (local $a i32) (local $b i32) (local $stop i32)
    (local $p0 v128) (local $p1 v128) (local $p2 v128) (local $p3 v128) (local $c v128)
    (local $s0 v128) (local $s1 v128) (local $s2 v128) (local $s3 v128)
    (local $t0 v128) (local $t1 v128) (local $t2 v128) (local $t3 v128)
    (local.set $row_bytes (i32.shl (local.get $columns) (i32.const 2)))
    (local.set $rank_bytes (i32.shl (local.get $rank) (i32.const 2)))
    (local.set $tile_end (i32.add (local.get $values) (local.get $row_bytes)))
    (loop $each_tile
      (local.set $row (i32.const 0))
      (local.set $above (local.get $values))
      (local.set $a (local.get $coefficients))
      (loop $each_pair
        (local.set $below (i32.add (local.get $above) (local.get $row_bytes)))
        (local.set $b (i32.add (local.get $a) (local.get $rank_bytes)))
        (local.set $stop (local.get $b))
        (local.set $at (local.get $panel))
        (local.set $s0 (v128.const f32x4 0 0 0 0)) (local.set $s1 (v128.const f32x4 0 0 0 0))
        (local.set $s2 (v128.const f32x4 0 0 0 0)) (local.set $s3 (v128.const f32x4 0 0 0 0))
        (local.set $t0 (v128.const f32x4 0 0 0 0)) (local.set $t1 (v128.const f32x4 0 0 0 0))
        (local.set $t2 (v128.const f32x4 0 0 0 0)) (local.set $t3 (v128.const f32x4 0 0 0 0))
        (loop $each_rank
          (local.set $p0 (v128.load (local.get $at)))
          (local.set $p1 (v128.load offset=16 (local.get $at)))
          (local.set $p2 (v128.load offset=32 (local.get $at)))
          (local.set $p3 (v128.load offset=48 (local.get $at)))
          (local.set $c (v128.load32_splat (local.get $a)))
          (local.set $s0 (f32x4.add (local.get $s0) (f32x4.mul (local.get $p0) (local.get $c))))
          (local.set $s1 (f32x4.add (local.get $s1) (f32x4.mul (local.get $p1) (local.get $c))))
          (local.set $s2 (f32x4.add (local.get $s2) (f32x4.mul (local.get $p2) (local.get $c))))
          (local.set $s3 (f32x4.add (local.get $s3) (f32x4.mul (local.get $p3) (local.get $c))))
          (local.set $c (v128.load32_splat (local.get $b)))
          (local.set $t0 (f32x4.add (local.get $t0) (f32x4.mul (local.get $p0) (local.get $c))))
          (local.set $t1 (f32x4.add (local.get $t1) (f32x4.mul (local.get $p1) (local.get $c))))
          (local.set $t2 (f32x4.add (local.get $t2) (f32x4.mul (local.get $p2) (local.get $c))))
          (local.set $t3 (f32x4.add (local.get $t3) (f32x4.mul (local.get $p3) (local.get $c))))
          (local.set $at (i32.add (local.get $at) (i32.const 64)))
          (local.set $b (i32.add (local.get $b) (i32.const 4)))
          (br_if $each_rank
            (i32.lt_u
              (local.tee $a (i32.add (local.get $a) (i32.const 4)))
              (local.get $stop))))
        (v128.store (local.get $above) (f32x4.add (v128.load (local.get $above)) (local.get $s0)))
        (v128.store offset=16 (local.get $above) (f32x4.add (v128.load offset=16 (local.get $above)) (local.get $s1)))
        (v128.store offset=32 (local.get $above) (f32x4.add (v128.load offset=32 (local.get $above)) (local.get $s2)))
        (v128.store offset=48 (local.get $above) (f32x4.add (v128.load offset=48 (local.get $above)) (local.get $s3)))
        (v128.store (local.get $below) (f32x4.add (v128.load (local.get $below)) (local.get $t0)))
        (v128.store offset=16 (local.get $below) (f32x4.add (v128.load offset=16 (local.get $below)) (local.get $t1)))
        (v128.store offset=32 (local.get $below) (f32x4.add (v128.load offset=32 (local.get $below)) (local.get $t2)))
        (v128.store offset=48 (local.get $below) (f32x4.add (v128.load offset=48 (local.get $below)) (local.get $t3)))
        (local.set $a (local.get $b))
        (local.set $above (i32.add (local.get $below) (local.get $row_bytes)))
        (br_if $each_pair
          (i32.lt_u
            (local.tee $row (i32.add (local.get $row) (i32.const 2)))
            (local.get $rows))))
      (local.set $panel (local.get $at))
      (br_if $each_tile
        (i32.lt_u
          (local.tee $values (i32.add (local.get $values) (i32.const 64)))
          (local.get $tile_end)))))

  ;; Q4_0 by ggml's reference: 32 values become a half (the value of largest magnitude, its sign kept, divided by
  ;; -8) and 32 codes of four bits, value / scale + 8.5 without its fraction, from 0 to 15. Values are divided by
  ;; the scale as it is stored, which is how the correction was trained. Returns 0 when a value is no number.
  (func (export "encode_q4_0") (param $values i32) (param $blocks i32) (param $target i32) (result i32)
    (local $end i32) (local $largest v128) (local $at i32) (local $lanes i32) (local $half i32)
    (local $scale v128) (local $low v128) (local $high v128)
    (local.set $end (i32.add (local.get $values) (i32.shl (local.get $blocks) (i32.const 7))))
    (loop $each_block
      ;; The largest magnitude in all four lanes, then the first value that has it.
      (local.set $largest (f32x4.abs (v128.load (local.get $values))))
      (local.set $at (i32.const 16))
      (loop $each_four
        (local.set $largest
          (f32x4.max
            (local.get $largest)
            (f32x4.abs (v128.load (i32.add (local.get $values) (local.get $at))))))
        (br_if $each_four
          (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 16))) (i32.const 128))))
      (local.set $largest
        (f32x4.max
          (local.get $largest)
          (i8x16.shuffle 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7 (local.get $largest) (local.get $largest))))
      (local.set $largest
        (f32x4.max
          (local.get $largest)
          (i8x16.shuffle 4 5 6 7 0 1 2 3 12 13 14 15 8 9 10 11 (local.get $largest) (local.get $largest))))
      (local.set $at (local.get $values))
      (loop $find
        (if
          (i32.eqz
            (local.tee $lanes
              (i32x4.bitmask
                (f32x4.eq (f32x4.abs (v128.load (local.get $at))) (local.get $largest)))))
          (then
            (local.set $at (i32.add (local.get $at) (i32.const 16)))
            ;; A value that is no number equals nothing: without this bound the search would leave the block.
            (br_if $find
              (i32.lt_u (local.get $at) (i32.add (local.get $values) (i32.const 128)))))))
      (if (i32.eqz (local.get $lanes)) (then (return (i32.const 0))))
      (local.set $half
        (call $to_half
          (f32.div
            (f32.load
              (i32.add (local.get $at) (i32.shl (i32.ctz (local.get $lanes)) (i32.const 2))))
            (f32.const -8))))
      (i32.store16 (local.get $target) (local.get $half))
      (if (i32.and (local.get $half) (i32.const 0x7fff))
        (then
          (local.set $scale (f32x4.splat (call $from_half (local.get $half))))
          (local.set $low (call $sixteen_codes (local.get $values) (local.get $scale)))
          (local.set $high
            (call $sixteen_codes (i32.add (local.get $values) (i32.const 64)) (local.get $scale)))
          (v128.store offset=2 (local.get $target)
            (v128.or (local.get $low) (i8x16.shl (local.get $high) (i32.const 4)))))
        (else
          ;; All zero, or too small for a half: code 8 means zero.
          (v128.store offset=2 (local.get $target)
            (v128.const i32x4 0x88888888 0x88888888 0x88888888 0x88888888))))
      (local.set $target (i32.add (local.get $target) (i32.const 18)))
      (br_if $each_block
        (i32.lt_u
          (local.tee $values (i32.add (local.get $values) (i32.const 128)))
          (local.get $end))))
    (i32.const 1))

  ;; Sixteen values as codes, a byte each.
  (func $sixteen_codes (param $values i32) (param $scale v128) (result v128)
    (i8x16.min_u
      (i8x16.narrow_i16x8_u
        (i16x8.narrow_i32x4_u
          (call $four_codes (v128.load (local.get $values)) (local.get $scale))
          (call $four_codes (v128.load offset=16 (local.get $values)) (local.get $scale)))
        (i16x8.narrow_i32x4_u
          (call $four_codes (v128.load offset=32 (local.get $values)) (local.get $scale))
          (call $four_codes (v128.load offset=48 (local.get $values)) (local.get $scale))))
      (i8x16.splat (i32.const 15))))

  ;; The narrowing after it saturates: what is negative becomes 0, what is large stays large.
  (func $four_codes (param $values v128) (param $scale v128) (result v128)
    (i32x4.trunc_sat_f32x4_s
      (f32x4.add
        (f32x4.div (local.get $values) (local.get $scale))
        (v128.const f32x4 8.5 8.5 8.5 8.5)))))
