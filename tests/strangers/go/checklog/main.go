// Checklog checks an exported log with Go's own transparency log code: golang.org/x/mod/sumdb/note and tlog.
//
//	checklog -key VKEY [-old CHECKPOINT] DIRECTORY
//
// It says "ok" and the size, or what is wrong, and then ends with status 1. Tiles are laid out as C2SP tlog-tiles says.
package main

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

const height = 8

// shelf reads tiles of height 8 from a directory.
type shelf struct{ directory string }

func (s shelf) Height() int { return height }

func (s shelf) SaveTiles([]tlog.Tile, [][]byte) {}

func (s shelf) ReadTiles(tiles []tlog.Tile) ([][]byte, error) {
	found := make([][]byte, len(tiles))
	for i, tile := range tiles {
		data, err := os.ReadFile(filepath.Join(s.directory, path(tile)))
		if err != nil {
			return nil, err
		}
		found[i] = data
	}
	return found, nil
}

// path turns Go's tile/8/<L>/<N> into tile/<L>/<N>, and data into entries.
func path(tile tlog.Tile) string {
	path := strings.Replace(tile.Path(), "tile/8/", "tile/", 1)
	return strings.Replace(path, "tile/data/", "tile/entries/", 1)
}

func main() {
	key := flag.String("key", "", "the log's verifier key")
	old := flag.String("old", "", "a file with an earlier checkpoint")
	flag.Parse()
	size, err := check(flag.Arg(0), *key, *old)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("ok", size)
}

func check(directory, key, old string) (int64, error) {
	tree, err := open(filepath.Join(directory, "checkpoint"), key)
	if err != nil {
		return 0, err
	}
	reader := tlog.TileHashReader(tree, shelf{directory})
	if old != "" {
		if err := checkOld(old, key, tree, reader); err != nil {
			return 0, err
		}
	}
	lines, err := os.ReadFile(filepath.Join(directory, "entries.jsonl"))
	if err != nil {
		return 0, err
	}
	for start := int64(0); start < tree.N; start += 1 << height {
		if lines, err = checkTile(directory, tree, reader, start, lines); err != nil {
			return 0, err
		}
	}
	if len(lines) != 0 {
		return 0, fmt.Errorf("entries.jsonl goes on behind entry %d", tree.N-1)
	}
	for _, n := range []int64{0, 1, 254, 255, 256, tree.N / 2, tree.N - 2, tree.N - 1} {
		if err := checkProof(tree, reader, n); err != nil {
			return 0, err
		}
	}
	return tree.N, nil
}

// open reads a checkpoint that the key has signed.
func open(file, key string) (tlog.Tree, error) {
	verifier, err := note.NewVerifier(key)
	if err != nil {
		return tlog.Tree{}, err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return tlog.Tree{}, err
	}
	opened, err := note.Open(text, note.VerifierList(verifier))
	if err != nil {
		return tlog.Tree{}, fmt.Errorf("%s: %v", filepath.Base(file), err)
	}
	lines := strings.Split(opened.Text, "\n")
	if len(lines) < 4 || lines[0] != verifier.Name() {
		return tlog.Tree{}, fmt.Errorf("%s is not a checkpoint of %s", filepath.Base(file), verifier.Name())
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	if err != nil {
		return tlog.Tree{}, err
	}
	root, err := base64.StdEncoding.DecodeString(lines[2])
	if err != nil || len(root) != tlog.HashSize {
		return tlog.Tree{}, fmt.Errorf("%s has no root", filepath.Base(file))
	}
	tree := tlog.Tree{N: size}
	copy(tree.Hash[:], root)
	return tree, nil
}

// checkOld proves that an earlier checkpoint's tree is the beginning of this one.
func checkOld(file, key string, tree tlog.Tree, reader tlog.HashReader) error {
	old, err := open(file, key)
	if err != nil {
		return err
	}
	if old.N > tree.N {
		return fmt.Errorf("rolled back: %d entries were signed, %d are left", old.N, tree.N)
	}
	if old.N == 0 {
		return nil
	}
	proof, err := tlog.ProveTree(tree.N, old.N, reader)
	if err != nil {
		return err
	}
	if err := tlog.CheckTree(proof, tree.N, tree.Hash, old.N, old.Hash); err != nil {
		return fmt.Errorf("forked: the first %d entries are not those that were signed: %v", old.N, err)
	}
	return nil
}

// checkTile compares 256 entries with their hashes in the tree and with their lines; what is left of those it returns.
func checkTile(directory string, tree tlog.Tree, reader tlog.HashReader, start int64, lines []byte) ([]byte, error) {
	end := start + 1<<height
	if end > tree.N {
		end = tree.N
	}
	var indexes []int64
	for n := start; n < end; n++ {
		indexes = append(indexes, tlog.StoredHashIndex(0, n))
	}
	hashes, err := reader.ReadHashes(indexes)
	if err != nil {
		return nil, err
	}
	tile := tlog.Tile{H: height, L: -1, N: start >> height, W: int(end - start)}
	bundle, err := os.ReadFile(filepath.Join(directory, path(tile)))
	if err != nil {
		return nil, err
	}
	for i, hash := range hashes {
		n := start + int64(i)
		if len(bundle) < 2 || len(bundle) < 2+int(binary.BigEndian.Uint16(bundle)) {
			return nil, fmt.Errorf("entry %d breaks off", n)
		}
		length := 2 + int(binary.BigEndian.Uint16(bundle))
		entry := bundle[2:length]
		bundle = bundle[length:]
		if tlog.RecordHash(entry) != hash {
			return nil, fmt.Errorf("entry %d is not the one in the tree", n)
		}
		if !bytes.HasPrefix(lines, entry) || !bytes.HasPrefix(lines[len(entry):], []byte("\n")) {
			return nil, fmt.Errorf("entry %d is another in entries.jsonl", n)
		}
		lines = lines[len(entry)+1:]
	}
	if len(bundle) != 0 {
		return nil, fmt.Errorf("%s goes on behind entry %d", path(tile), end-1)
	}
	return lines, nil
}

// checkProof makes an inclusion proof and follows it to the root.
func checkProof(tree tlog.Tree, reader tlog.HashReader, n int64) error {
	if n < 0 || n >= tree.N {
		return nil
	}
	hashes, err := reader.ReadHashes([]int64{tlog.StoredHashIndex(0, n)})
	if err != nil {
		return err
	}
	proof, err := tlog.ProveRecord(tree.N, n, reader)
	if err != nil {
		return err
	}
	if err := tlog.CheckRecord(proof, tree.N, tree.Hash, n, hashes[0]); err != nil {
		return fmt.Errorf("entry %d is not proved: %v", n, err)
	}
	return nil
}
